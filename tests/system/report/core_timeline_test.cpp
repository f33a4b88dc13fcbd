// SPDX-License-Identifier: Apache-2.0
// The time line of a core: its cells follow each other, and nothing is lost when they are united.
#include "report/timeline/core_timeline.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <random>
#include <sstream>

#include "tests/support/program/file_of_run.h"
#include "tests/support/subprocess.h"
#include "tests/support/temp_dir.h"

using namespace tahoma;
using base::Duration, base::StallReason, base::Time;
using nlohmann::json;
using runtime::CoreTimeline, runtime::TimelineCell;

namespace {

constexpr std::uint32_t kCore = 3;
constexpr std::uint8_t kVector = static_cast<std::uint8_t>(isa::Queue::kVector);

struct Played {  // instructions of one engine, with waits before them
  CoreTimeline timeline{8, {kCore}};
  base::StallTimes times{};
  Time now{0};
  Duration busy, longest_wait;

  void play(std::uint32_t index, Duration wait, StallReason reason, Duration work) {
    times[static_cast<std::size_t>(reason)] += wait;
    times[static_cast<std::size_t>(StallReason::kBusy)] += work;
    base::InstructionActivity a;
    a.core = kCore;
    a.queue = kVector;
    a.index = index;
    a.start = now + wait;
    a.busy = work;
    a.engine_time = times;
    timeline.instruction(a);
    now = a.start + work;
    busy += work;
    longest_wait = std::max(longest_wait, wait);
  }
  const std::vector<TimelineCell>& cells() const { return timeline.tracks().at(kVector).cells; }
};

void check_cells(const std::vector<TimelineCell>& cells, Time end) {
  Time at{0};
  for (const TimelineCell& cell : cells) {
    CHECK(cell.from == at);
    CHECK(cell.longest <= cell.time());
    CHECK(cell.busy <= cell.time());
    at = cell.to;
  }
  CHECK(at == end);
}

}  // namespace

TEST_CASE("time line: a short run keeps every instruction and every wait with its reason", "[report]") {
  Played engine;
  engine.play(0, {5'000'000}, StallReason::kWaitDma, {2'000'000});
  engine.play(1, {0}, StallReason::kWaitDma, {3'000'000});
  engine.play(2, {1'000'000}, StallReason::kHandover, {4'000'000});
  const auto& cells = engine.cells();
  REQUIRE(cells.size() == 5);
  CHECK(cells[0].reason == StallReason::kWaitDma);
  CHECK(cells[1].index == 0);
  CHECK(cells[2].index == 1);
  CHECK(cells[3].reason == StallReason::kHandover);
  CHECK(cells[4].busy == Duration{4'000'000});
  check_cells(cells, engine.now);
}

TEST_CASE("time line: united cells keep busy time, number of instructions and the longest part", "[report]") {
  Played engine;
  std::mt19937 random(11);
  const auto some = [&] {
    return Duration{std::uniform_int_distribution<std::int64_t>(1, 100'000'000)(random)};
  };
  Duration longest_work{0};
  std::uint32_t longest_index = 0;
  for (std::uint32_t n = 0; n < 20'000; ++n) {
    const Duration work = some() * (n == 7777 ? 40 : 1);
    if (work > longest_work) longest_work = work, longest_index = n;
    engine.play(n, some(), n % 2 == 0 ? StallReason::kWaitDma : StallReason::kHandover, work);
  }
  const auto& cells = engine.cells();
  CHECK(cells.size() <= 256);
  CHECK(cells.size() >= 64);
  check_cells(cells, engine.now);
  Duration busy{0}, longest{0};
  std::uint64_t instructions = 0;
  std::uint32_t index = 0;
  for (const TimelineCell& cell : cells) {
    busy += cell.busy;
    instructions += cell.instructions;
    if (cell.reason == StallReason::kBusy && cell.longest > longest)
      longest = cell.longest, index = cell.index;
  }
  CHECK(busy == engine.busy);
  CHECK(instructions == 20'000);
  CHECK(longest == longest_work);
  CHECK(index == longest_index);
}

TEST_CASE("time line: cores that were not chosen leave nothing", "[report]") {
  Played engine;
  CHECK(engine.timeline.tracks().size() == isa::kQueueCount);
  base::InstructionActivity other;
  other.core = 5;
  engine.timeline.instruction(other);
  for (const auto& track : engine.timeline.tracks()) CHECK(track.cells.empty());
}

TEST_CASE("time line: the busy time of each line on the page is that of the engine's statistics", "[page]") {
  const tests::TempDir dir;
  const auto run =
      tests::tahoma_in(dir.path(), {"run", std::string(TAHOMA_SOURCE_DIR) + "/workloads/gemm/chip.yaml",
                                    "--mode", "timing", "--out", "out"});
  INFO(run.err);
  REQUIRE(run.status == 0);
  const json detail = json::parse(tests::file_of_run(dir / "out/report.json")),
             stats = json::parse(tests::file_of_run(dir / "out/stats.json")),
             summary = json::parse(tests::contents(dir.path() / "out/summary.json"));
  std::map<std::string, double> values;
  for (const json& stat : stats) values[stat["path"]] = stat["value"].get<double>();
  REQUIRE(detail["timeline"]["cores"].size() == 8);
  for (const json& core : detail["timeline"]["cores"]) {
    REQUIRE(core["lanes"].size() >= 3);
    for (const json& lane : core["lanes"]) {
      INFO(core["name"] << " " << lane["queue"]);
      std::stringstream cells(lane["cells"].get<std::string>());
      double busy = 0, instructions = 0, last = 0;
      for (std::string cell; std::getline(cells, cell, ';');) {
        std::stringstream numbers(cell);
        double end = 0, time = 0, label = 0, index = 0, count = 0;
        numbers >> end >> time >> label >> index >> count;
        CHECK(end >= last);
        CHECK(label < static_cast<double>(detail["timeline"]["labels"].size()));
        last = end;
        busy += time;
        instructions += count;
      }
      const std::string engine = core["name"].get<std::string>() + "." + lane["queue"].get<std::string>();
      CHECK(busy / 1000 == Approx(values.at(engine + ".busy")).margin(0.3));
      CHECK(instructions == values.at(engine + ".instructions"));
      CHECK(last <= summary["simulated_time_ns"].get<double>() * 1000 + 1);
    }
  }
}

TEST_CASE("time line: --page-cores chooses the cores, unknown ones are refused", "[page]") {
  const tests::TempDir dir;
  const std::string workload = std::string(TAHOMA_SOURCE_DIR) + "/workloads/gemm/chip.yaml";
  const auto run = [&](const char* cores) {
    return tests::tahoma_in(dir.path(),
                            {"run", workload, "--mode", "timing", "--page-cores", cores, "--out", "out"});
  };
  REQUIRE(run("2,server0.chip00.core5").status == 0);
  const json cores = json::parse(tests::file_of_run(dir / "out/report.json"))["timeline"]["cores"];
  REQUIRE(cores.size() == 2);
  CHECK(cores[0]["name"] == "server0.chip00.core2");
  CHECK(cores[1]["name"] == "server0.chip00.core5");
  const auto unknown = run("server0.chip00.core9");
  CHECK(unknown.status == 2);
  CHECK_THAT(unknown.err, Catch::Contains("error[E-TRC-003]") && Catch::Contains("--page-cores"));
}
