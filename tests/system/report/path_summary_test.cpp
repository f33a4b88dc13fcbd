// SPDX-License-Identifier: Apache-2.0
// The table of the critical path: its rows are the simulated time, whatever the run.
#include "report/path/path_summary.h"

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <random>

#include "tests/support/program/text_program.h"
#include "tests/support/subprocess.h"
#include "tests/support/temp_dir.h"

using namespace tahoma;
using base::Duration, base::Time;
using nlohmann::json;

namespace {

const std::string kWorkloads = std::string(TAHOMA_SOURCE_DIR) + "/workloads/";

json summary_of(const std::string& workload, const std::vector<std::string>& settings = {}) {
  const tests::TempDir dir;
  std::vector<std::string> words{"run", kWorkloads + workload, "--mode", "timing", "--no-report", "--out",
                                 "out"};
  for (const std::string& setting : settings) words.insert(words.end(), {"--set", setting});
  const auto run = tests::tahoma_in(dir.path(), words);
  INFO(run.err);
  REQUIRE(run.status == 0);
  return json::parse(tests::contents(dir.path() / "out" / "summary.json"));
}

// The files have nanoseconds; six decimal places are all that the simulator knows.
std::int64_t femtoseconds(const json& ns) { return std::llround(ns.get<double>() * 1e6); }

// Each row ends where the one after it in time begins: exactly, the last one at the end of the run, the first
// at its start.
void check_rows(const json& summary) {
  const json& rows = summary["critical_path"]["rows"];
  REQUIRE(!rows.empty());
  CHECK(rows.size() <= 20);
  CHECK(femtoseconds(rows.front()["end_ns"]) == femtoseconds(summary["simulated_time_ns"]));
  CHECK(rows.back()["start_ns"] == 0.0);
  std::uint64_t steps = 0;
  for (std::size_t n = 0; n < rows.size(); ++n) {
    if (n > 0) CHECK(rows[n]["end_ns"] == rows[n - 1]["start_ns"]);
    CHECK(rows[n]["end_ns"] > rows[n]["start_ns"]);
    steps += rows[n]["steps"].get<std::uint64_t>();
  }
  CHECK(steps == summary["critical_path"]["steps"]);
}

// Resources and operations are the same time, divided twice.
void check_shares(const json& summary) {
  std::int64_t elapsed = femtoseconds(summary["simulated_time_ns"]), whole = 0;
  std::map<std::string, std::int64_t> of_resource;
  for (const json& share : summary["critical_path"]["operations"]) {
    whole += femtoseconds(share["time_ns"]);
    of_resource[share["resource"].get<std::string>()] += femtoseconds(share["time_ns"]);
    CHECK(share["share_percent"].get<double>() ==
          Approx(100 * static_cast<double>(femtoseconds(share["time_ns"])) / static_cast<double>(elapsed)));
  }
  CHECK(whole == elapsed);
  const json& resources = summary["critical_path"]["resources"];
  CHECK(resources.size() == of_resource.size());
  for (const json& resource : resources) {
    CHECK(femtoseconds(resource["time_ns"]) == of_resource.at(resource["resource"].get<std::string>()));
    CHECK(resource["time_ns"] <= resources[0]["time_ns"]);
  }
  const auto limits = std::find_if(resources.begin(), resources.end(),
                                   [](const json& resource) { return resource["resource"] != "none"; });
  for (const char* key : {"resource", "share_percent", "operation", "operation_percent"})
    CHECK(summary["limits"][key] == (*limits)[key]);
}

// A chain of n instructions of one engine, each `times[n]` long.
runtime::CriticalPath chain(const std::vector<std::int64_t>& times) {
  runtime::CriticalPath path(1, Duration{0});
  std::array<Duration, base::kStallReasons> engine{};
  for (std::size_t n = 0; n < times.size(); ++n) {
    engine[0] += Duration{times[n]};
    base::InstructionActivity a;
    a.queue = static_cast<std::uint8_t>(isa::Queue::kVector);
    a.index = static_cast<std::uint32_t>(n);
    a.engine_time = engine;
    path.instruction(a);
  }
  return path;
}

// Rows that follow each other, with times from a small range, so that many neighbours are equally short.
std::vector<runtime::PathRow> random_rows(std::size_t count, std::mt19937& random) {
  std::vector<runtime::PathRow> rows;
  for (Time to{1'000'000}; rows.size() < count; to = rows.back().from) {
    runtime::PathRow row;
    row.to = to;
    row.from = to - Duration{std::uniform_int_distribution<std::int64_t>(1, 9)(random)};
    row.steps = 1;
    rows.push_back(row);
  }
  return rows;
}

// The definition: one search through all neighbours for each union.
std::vector<runtime::PathRow> united_one_by_one(std::vector<runtime::PathRow> rows, std::size_t most) {
  while (rows.size() > most) {
    std::size_t shortest = 0;
    for (std::size_t n = 1; n + 1 < rows.size(); ++n)
      if (rows[n].to - rows[n + 1].from < rows[shortest].to - rows[shortest + 1].from) shortest = n;
    rows[shortest].unite(rows[shortest + 1]);
    rows.erase(rows.begin() + static_cast<std::ptrdiff_t>(shortest) + 1);
  }
  return rows;
}

}  // namespace

TEST_CASE("critical path: rows are united as by searching all neighbours each time", "[report]") {
  std::mt19937 random(3);
  for (std::size_t count = 1; count < 200; count += 7) {
    const std::size_t most = 1 + random() % 20;
    const std::vector<runtime::PathRow> rows = random_rows(count, random);
    const auto expected = united_one_by_one(rows, most), got = runtime::united(rows, most);
    REQUIRE(got.size() == expected.size());
    for (std::size_t n = 0; n < got.size(); ++n) {
      CHECK(got[n].from == expected[n].from);
      CHECK(got[n].to == expected[n].to);
      CHECK(got[n].steps == expected[n].steps);
    }
  }
}

TEST_CASE("critical path: its rows add up to the time of every run", "[report]") {
  for (const char* workload :
       {"gemm/chip.yaml", "gemm/one_core_4096.yaml", "attention/one_core.yaml", "decode/paged.yaml",
        "transformer/tiny.yaml", "rms_norm/one_core.yaml", "collective/all_reduce_cores.yaml"}) {
    INFO(workload);
    const json summary = summary_of(workload);
    check_rows(summary);
    check_shares(summary);
  }
}

TEST_CASE("critical path: the main job's rows and shares add up to its time", "[report]") {
  const json summary = summary_of("gemm/ultraserver.yaml");
  check_rows(summary);
  check_shares(summary);
}

// Each case waits for one resource by its construction.
TEST_CASE("critical path: the resource that a run waits for limits it", "[report]") {
  const auto limits = [](const std::string& workload, const std::vector<std::string>& settings) {
    const json summary = summary_of(workload, settings);
    check_shares(summary);
    INFO(summary["headline"]["text"]);
    CHECK(summary["limits"]["share_percent"] > 50.0);
    return summary["limits"]["resource"].get<std::string>();
  };
  CHECK(limits("gemm/chip.yaml", {"machine.chip.hbm.bandwidth=20 GB/s", "machine.chip.hbm.model=flat"}) ==
        "HBM");
  CHECK(limits("gemm/one_core_4096.yaml", {}) == "tensor engine");
  CHECK(limits("gemm/chip.yaml", {"machine.chip.core.dma.clock=20 MHz"}) == "DMA");
  CHECK(limits("collective/all_reduce_ring.yaml",
               {"machine.link.x=1 GB/s", "machine.link.y=1 GB/s", "machine.link.z=1 GB/s"}) == "NeuronLink");
}

// Hot spots unite the instructions of one opcode and region: their times add up, and the largest is named.
TEST_CASE("critical path: hot spots are the opcodes with the largest times on it", "[report]") {
  const std::array<std::string, 2> lines{
      "  memset shape=128x16 dst=sbuf[0, 0x0]:fp32 value=1\n",
      "  tensor_copy shape=128x16 dst=sbuf[0, 0x0]:fp32 src=sbuf[0, 0x100]:fp32\n"};
  struct Sum {
    std::int64_t time = 0, largest = 0;
    std::uint64_t instructions = 0, index = 0;
  };
  std::map<std::string, Sum> sums;
  std::string text = ".program p\nvector:\n";
  std::vector<std::int64_t> times;
  std::mt19937 random(7);
  for (std::uint64_t n = 0; n < 50; ++n) {
    const std::string& line = lines[random() % 2];
    text += line;
    times.push_back(std::uniform_int_distribution<std::int64_t>(1, 1'000'000)(random));
    Sum& sum = sums[line == lines[0] ? "memset" : "tensor_copy"];
    sum.time += times.back();
    ++sum.instructions;
    if (times.back() > sum.largest) {
      sum.largest = times.back();
      sum.index = n;
    }
  }
  Duration elapsed{0};
  for (const std::int64_t time : times) elapsed += Duration{time};
  const auto path = chain(times);
  const runtime::PathSummary summary = runtime::summarise_path(
      path, elapsed, {{0, tests::text_program(text)}}, [](std::uint32_t) { return "core"; }, {});
  REQUIRE(summary.hot_spots.size() == sums.size());
  Duration sum{0};
  for (std::size_t n = 0; n < sums.size(); ++n) {
    const runtime::PathHotSpot& spot = summary.hot_spots[n];
    CHECK(spot.time.fs == sums.at(spot.opcode).time);
    CHECK(spot.instructions == sums.at(spot.opcode).instructions);
    CHECK(spot.index == sums.at(spot.opcode).index);
    if (n > 0) CHECK(spot.time <= summary.hot_spots[n - 1].time);
    sum += spot.time;
  }
  CHECK(sum == elapsed);
  // One engine in one region is one row.
  REQUIRE(summary.rows.size() == 1);
  CHECK(summary.rows[0].steps == times.size());
}
