// SPDX-License-Identifier: Apache-2.0
// `tahoma check` from end to end: children, probes on real runs, files, exit statuses.
#include <catch2/catch.hpp>
#include <csignal>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "runtime/host/children.h"
#include "studies/validation/accuracy/activity_log.h"
#include "tests/support/bench/machine_fixture.h"
#include "tests/support/program/figure_tables.h"
#include "tests/support/program/refusal_of.h"
#include "tests/support/program/twice_program.h"
#include "tests/support/subprocess.h"

using namespace tahoma;
using namespace tahoma::tests;
using Catch::Contains;
using nlohmann::json;
using runtime::ActivityLog, runtime::ChildResult;
namespace fs = std::filesystem;

namespace {

// A folder with a program, a case of it and a file of checks with `lines` as its table.
void fill_checks(const TempDir& dir, const std::string& lines, const std::string& more = "") {
  dir.write("twice.tasm", kTwice);
  dir.write("twice.yaml", program_case("twice.tasm"));
  dir.write("checks.yaml", suite_text(more));
  dir.write("lanes.csv", kFigureColumns + lines);
}

json page_in(const Finished& finished) {
  INFO(finished.err);
  return json::parse(finished.out);
}

json figure_of(const json& page, std::size_t index) { return page["families"][0]["figures"][index]; }

const std::vector<std::string> kCheck{"check", "checks.yaml", "--format", "json"};

std::vector<std::string> check_with(const std::vector<std::string>& more) {
  std::vector<std::string> words = kCheck;
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

std::vector<ChildResult> children_of(const std::vector<std::function<std::string()>>& bodies,
                                     std::size_t jobs) {
  std::size_t told = 0;
  const auto tell = [&](std::size_t done) {
    CHECK((done == told + 1 || done == told));  // equal: a second has passed
    told = done;
  };
  auto results = runtime::run_in_children(bodies, jobs, tell);
  CHECK(told == bodies.size());
  return results;
}

runtime::Event event_of(const std::string& text) {
  const auto probe = runtime::parse_probe(text + " - sem[0]>=1", [](std::size_t) { return std::string(); });
  return std::get<runtime::Interval>(probe).to;
}

}  // namespace

TEST_CASE("children: results are in the order of the bodies, for any number of concurrent ones",
          "[accuracy]") {
  std::vector<std::function<std::string()>> bodies;
  for (int i = 0; i < 7; ++i)
    bodies.emplace_back(
        [i] { return std::string(static_cast<std::size_t>(1 + i * 40000), static_cast<char>('a' + i)); });
  for (const std::size_t jobs : {1, 3, 20}) {
    const auto results = children_of(bodies, jobs);
    REQUIRE(results.size() == bodies.size());
    for (std::size_t i = 0; i < bodies.size(); ++i) {
      CHECK(results[i].text == bodies[i]());
      CHECK(results[i].failure.empty());
    }
  }
}

TEST_CASE("children: one that crashes or exits reports how, and does not affect others",
          "[accuracy][must-fail]") {
  const auto results = children_of({[]() -> std::string { return "fine"; },
                                    []() -> std::string {
                                      raise(SIGKILL);
                                      return "never";
                                    },
                                    []() -> std::string { throw std::runtime_error("planted"); },
                                    []() -> std::string { return "fine too"; }},
                                   2);
  CHECK(results[0].text == "fine");
  CHECK_THAT(results[1].failure, Contains("ended by signal 9"));
  CHECK(results[2].failure == "exited with status 1");
  CHECK(results[3].text == "fine too");
}

TEST_CASE("activity log: events are counted per queue, per engine and ring, and per semaphore",
          "[accuracy]") {
  using base::operator""_ns;
  ActivityLog log;
  const auto vector = static_cast<std::uint8_t>(isa::Queue::kVector);
  log.instruction({0, vector, 5, 10_ns, 20_ns, 30_ns});
  log.instruction({1, vector, 0, 1_ns, 2_ns, 3_ns});  // another core
  log.instruction({0, vector, 5, 40_ns, 50_ns, 60_ns});
  const auto packet = [&](std::uint8_t ring, bool last, base::Time start, base::Time read,
                          base::Time written) {
    log.packet({.engine = 3,
                .ring = ring,
                .bytes = 64,
                .last = last,
                .start = start,
                .read_done = read,
                .write_done = written});
  };
  packet(1, false, 8_ns, 9_ns, 11_ns);
  packet(1, true, 4_ns, 5_ns, 6_ns);
  packet(0, true, 1_ns, 2_ns, 3_ns);
  log.semaphore({0, 7, false, 2, 30_ns});
  log.semaphore({0, 7, false, 1, 10_ns});
  log.semaphore({0, 7, true, 9, 40_ns});
  CHECK(log.when(event_of("vector[0].next")) == 20_ns);
  CHECK(log.when(event_of("vector[1].start")) == 40_ns);
  CHECK(log.when(event_of("vector[-1].end")) == 60_ns);
  CHECK(log.when(event_of("dma[3].ring[1][0].start")) == 4_ns);
  CHECK(log.when(event_of("dma[3].ring[1][1].write")) == 11_ns);
  CHECK(log.when(event_of("dma[3].ring[0][-1].read")) == 2_ns);
  CHECK(log.when(event_of("sem[7]>=1")) == 10_ns);
  CHECK(log.when(event_of("sem[7]>=3")) == 30_ns);
  CHECK(log.when(event_of("sem[7]>=4")) == 40_ns);
}

TEST_CASE("activity log: an event that did not occur is reported with those that did",
          "[accuracy][must-fail]") {
  ActivityLog log;
  log.semaphore({0, 7, false, 2, base::Time{5}});
  const auto said = [&](const std::string& event) {
    return refusal_of([&] { static_cast<void>(log.when(event_of(event))); });
  };
  CHECK_THAT(said("tensor[0].end"),
             Contains("E-ACC-012") && Contains("queue tensor on core 0 has 0 of them"));
  CHECK_THAT(said("dma[2].ring[1][0].read"), Contains("ring 1 of DMA engine 2"));
  CHECK_THAT(said("sem[7]>=3"), Contains("largest value was 2"));
}

TEST_CASE("check command: probes agree with each other and with the whole run", "[accuracy][cli]") {
  const TempDir dir;
  const std::string c = "twice.yaml";
  fill_checks(
      dir,
      figure_line("load", c, "vector[0].start - sync[0].start", "1") +
          figure_line("half", c, "(vector[0].start - sync[0].start) / 2", "1") +
          figure_line("double", c, "vector[0].end - vector[0].start", "1") +
          figure_line("store", c, "sem[2]>=16 - vector[0].end", "1") + figure_line("all", c, "time", "1") +
          figure_line("rows", c, "dma[0].ring[0][-1].write - dma[0].ring[0][0].start", "1", "check", "us"));
  const Finished finished = tahoma_in(dir.path(), kCheck);
  CHECK(finished.status == 0);
  const json page = page_in(finished);
  std::map<std::string, double> model;
  for (const json& figure : page["families"][0]["figures"])
    model[figure["id"]] = figure["model"].get<double>();
  CHECK(model["half"] == Approx(model["load"] / 2));
  CHECK(model["load"] + model["double"] + model["store"] == Approx(model["all"]));
  CHECK(model["rows"] > 0);
  CHECK(model["rows"] * 1000 < model["all"]);
}

TEST_CASE("check command: a limit that is exceeded gives exit status 1", "[accuracy][cli][must-fail]") {
  const TempDir dir;
  const std::string line = figure_line("all", "twice.yaml", "time", "1");
  for (const char* limits : {"      limits: {mean: 2 %}\n", "      limits: {worst: 2 %}\n"}) {
    fill_checks(dir, line, limits);
    const Finished finished = tahoma_in(dir.path(), kCheck);
    CHECK(finished.status == 1);
    CHECK(page_in(finished)["passed"] == false);
  }
}

TEST_CASE("check command: the error of a case is its row's reason", "[accuracy][cli][must-fail]") {
  const TempDir dir;
  fill_checks(dir, figure_line("good", "twice.yaml", "time", "1") +
                       figure_line("no_event", "twice.yaml", "tensor[0].end - sync[0].start", "1"));
  Finished finished = tahoma_in(dir.path(), kCheck);
  CHECK(finished.status == 1);
  CHECK(figure_of(page_in(finished), 0)["failure"].is_null());
  CHECK_THAT(figure_of(page_in(finished), 1)["failure"].get<std::string>(), Contains("E-ACC-012"));
  CHECK(figure_of(page_in(finished), 1)["model"].is_null());

  fill_checks(dir, figure_line("no_file", "missing.yaml", "time", "1"));
  finished = tahoma_in(dir.path(), kCheck);
  CHECK(finished.status == 2);
  CHECK_THAT(figure_of(page_in(finished), 0)["failure"].get<std::string>(), Contains("E-RUN-001"));

  dir.write("stuck.tasm", ".program stuck\n.args in out\nsync:\n  sem_wait wait=s2>=16\n");
  dir.write("stuck.yaml", program_case("stuck.tasm"));
  fill_checks(
      dir, figure_line("no_end", "stuck.yaml", "time", "1") + figure_line("good", "twice.yaml", "time", "1"));
  finished = tahoma_in(dir.path(), kCheck);
  CHECK(finished.status == 4);
  CHECK_THAT(figure_of(page_in(finished), 0)["failure"].get<std::string>(), Contains("E-RUN-051"));
  CHECK(figure_of(page_in(finished), 1)["model"].is_number());
}

TEST_CASE("check command: parameters of the machine apply to every case, those of a workload to none",
          "[accuracy][cli]") {
  const TempDir dir;
  fill_checks(dir, figure_line("all", "twice.yaml", "vector[0].end - vector[0].start", "1"));
  const auto model = [&](const std::vector<std::string>& more) {
    return figure_of(page_in(tahoma_in(dir.path(), check_with(more))), 0)["model"].get<double>();
  };
  CHECK(model({"--set", "machine.chip.core.vector.clock=480 MHz"}) > 1.5 * model({}));
  const Finished refused = tahoma_in(dir.path(), check_with({"--set", "workload.cores=2"}));
  CHECK(refused.status == 2);
  CHECK_THAT(refused.err, Contains("E-CFG-002"));
}

TEST_CASE("check command: the throttle's phases change a throttled burst, and only its spread",
          "[accuracy][cli]") {
  const TempDir dir;
  fill_checks(dir, "", "      phases: 4\n");
  std::string burst = ".program burst\n.args in out\ntensor:\n";
  burst += "  load_weights shape=128x128 src=sbuf[0, 0x0]:bf16\n";
  for (int i = 0; i < 64; ++i)
    burst += "  matmul shape=128x512 columns=128 dst=psum[0, 0x0]:fp32 src=sbuf[0, 0x1000]:bf16\n";
  dir.write("burst.tasm", burst);
  dir.write("burst.yaml", program_case("burst.tasm"));
  dir.write("lanes.csv", kFigureColumns + figure_line("burst", "burst.yaml", "time", "1", "check", "us"));
  const json figure = figure_of(page_in(tahoma_in(dir.path(), kCheck)), 0);
  INFO(figure.dump());
  const double low = figure["model_over_phases"]["low"], high = figure["model_over_phases"]["high"];
  CHECK(low < high);
  CHECK(low <= figure["model"].get<double>());
  CHECK(figure["model"].get<double>() <= high);
  // A phase shifts the end of the half rate by at most a window, of which half is lost.
  const double window = default_machine().chip.core.tensor.throttle_window.ns() / 1000;
  CHECK(high - low <= window);
}

TEST_CASE("check command: two checks give the same bytes, sequentially or in parallel", "[accuracy][cli]") {
  const TempDir dir;
  fill_checks(dir,
              figure_line("all", "twice.yaml", "time", "5000") +
                  figure_line("gone", "twice.yaml", "tensor[0].end - tensor[0].start", "1"),
              "      phases: 3\n");
  std::vector<std::string> bytes;
  for (const char* jobs : {"1", "4", "4"}) {
    const Finished finished =
        tahoma_in(dir.path(), {"check", "checks.yaml", "--out", "out", "--jobs", jobs, "--junit", "j.xml"});
    std::string all = finished.out + contents(dir / "j.xml");
    std::size_t files = 0;
    for (const char* name : {"accuracy.txt", "accuracy.json", "accuracy.csv"}) {
      all += contents(dir / (std::string("out/") + name));
      ++files;
    }
    CHECK(contents(dir / "out/accuracy.txt") == finished.out);
    CHECK(json::parse(contents(dir / "out/manifest.json"))["files"].size() == files + 1);
    bytes.push_back(all);
  }
  CHECK(bytes[0] == bytes[1]);
  CHECK(bytes[1] == bytes[2]);
}

TEST_CASE("check command: a folder includes every file of checks in it", "[accuracy][cli]") {
  const TempDir dir;
  fill_checks(dir, figure_line("all", "twice.yaml", "time", "1"));
  dir.write("more.yaml", suite_text());
  const Finished both = tahoma_in(dir.path(), {"check", ".", "--out", "out"});
  CHECK(both.status == 0);
  CHECK(fs::exists(dir / "out/checks/accuracy.json"));
  CHECK(fs::exists(dir / "out/more/accuracy.json"));
  fs::create_directory(dir / "empty");
  const Finished none = tahoma_in(dir.path(), {"check", "empty"});
  CHECK(none.status == 2);
  CHECK_THAT(none.err, Contains("E-ACC-001"));
}
