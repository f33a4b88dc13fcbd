// SPDX-License-Identifier: Apache-2.0
// Programs side by side on one machine: laws of their times, their values and what is refused.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "tests/support/subprocess.h"

using namespace tahoma::tests;
using Catch::Contains;
using nlohmann::json;

namespace {

// Sums of 1 MiB tiles: all of its time waits for HBM. Flat memory has no banks and no refreshes, so a program
// takes the same time whenever it starts.
constexpr const char* kSum =
    "kind: vector_add\nmachine: trainium2_one_chip\nworkload: {elements: 4096000, columns: 1000, dtype: "
    "fp32}\n";
constexpr const char* kFlat = "machine.chip.hbm.model=flat";

json programs_of(const TempDir& dir, const std::string& programs, std::vector<std::string> options = {}) {
  dir.write("sum.yaml", kSum);
  dir.write("all.yaml", "kind: colocated\nmachine: trainium2_one_chip\nworkload:\n  programs:\n" + programs);
  std::vector<std::string> words{TAHOMA_BINARY, "run", "all.yaml", "--no-report", "--format", "json"};
  words.insert(words.end(), options.begin(), options.end());
  const Finished finished = run_program(words, dir.path());
  INFO(finished.err);
  REQUIRE(finished.status == 0);
  return json::parse(finished.out);
}

double time_of(const json& run, std::size_t program) { return run["programs"][program]["time_ns"]; }

std::string refusal(const std::string& programs, const std::string& machine = "trainium2_one_chip") {
  const TempDir dir;
  dir.write("sum.yaml", kSum);
  dir.write("all.yaml", "kind: colocated\nmachine: " + machine + "\nworkload: " + programs + "\n");
  const Finished finished = run_program({TAHOMA_BINARY, "run", "all.yaml", "--no-report"}, dir.path());
  CHECK(finished.status == 2);
  return finished.err;
}

}  // namespace

TEST_CASE("colocated: a program alone takes the time of its case, with its values", "[colocated]") {
  const TempDir dir;
  dir.write("sum.yaml", kSum);
  const Finished alone =
      run_program({TAHOMA_BINARY, "run", "sum.yaml", "--no-report", "--format", "json"}, dir.path());
  REQUIRE(alone.status == 0);
  const json own = json::parse(alone.out);
  const json run = programs_of(dir, "    one: {case: sum.yaml, cores: 0}\n");
  CHECK(run["golden"]["passed"] == true);
  CHECK(run["golden"]["elements"] == own["golden"]["elements"]);
  CHECK(run["simulated_time_ns"] == own["simulated_time_ns"]);
  CHECK(time_of(run, 0) == own["simulated_time_ns"].get<double>());
  CHECK(run["instructions"] == own["instructions"]);
}

TEST_CASE("colocated: programs on stacks of their own do not slow each other", "[colocated]") {
  const TempDir dir;
  const json run =
      programs_of(dir, "    one: {case: sum.yaml, cores: 0}\n    two: {case: sum.yaml, cores: 2}\n",
                  {"--isolated", "--set", kFlat});
  CHECK(run["golden"]["passed"] == true);
  for (const json& program : run["programs"])
    CHECK(program["slowdown"].get<double>() == Approx(1).margin(1e-9));
  CHECK(run["sharing"]["weighted_speedup"].get<double>() == Approx(2));
  CHECK(run["sharing"]["unfairness"].get<double>() == Approx(1));
}

TEST_CASE("colocated: programs on one stack share its bandwidth, and wait for DMA", "[colocated]") {
  const TempDir dir;
  // One core takes most of such a stack's bandwidth.
  const std::vector<std::string> narrow{"--isolated", "--set", kFlat, "--set",
                                        "machine.chip.hbm.bandwidth=150 GB/s"};
  const json run =
      programs_of(dir, "    one: {case: sum.yaml, cores: 0}\n    two: {case: sum.yaml, cores: 1}\n", narrow);
  const double bytes = 3 * 4 * 4096000.0, rate = 150;  // of a program; bytes a nanosecond
  for (std::size_t n = 0; n < 2; ++n) {
    const json& program = run["programs"][n];
    CHECK(time_of(run, n) >= 2 * bytes / rate * 0.98);  // the last program ends alone
    CHECK(program["slowdown"].get<double>() > 1.7);
    CHECK(program["slowdown"].get<double>() < 2.05);
    CHECK(program["more_ns"]["wait_dma"].get<double>() > 0.3 * program["alone_ns"].get<double>());
  }
}

TEST_CASE("colocated: a program starts at its time, or when others have completed", "[colocated]") {
  const TempDir dir;
  const json run = programs_of(dir,
                               "    first: {case: sum.yaml, cores: 0}\n"
                               "    later: {case: sum.yaml, cores: 2, start: 20 us}\n"
                               "    last: {case: sum.yaml, cores: '4,5', after: 'first, later'}\n",
                               {"--set", kFlat});
  CHECK(run["golden"]["passed"] == true);
  const json& all = run["programs"];
  CHECK(all[0]["begin_ns"].get<double>() == Approx(0).margin(1));
  CHECK(all[1]["begin_ns"].get<double>() - all[0]["begin_ns"].get<double>() == Approx(20000).margin(1e-6));
  CHECK(time_of(run, 1) == Approx(time_of(run, 0)).margin(1e-6));
  const double end = all[1]["begin_ns"].get<double>() + time_of(run, 1);
  CHECK(all[2]["begin_ns"].get<double>() - all[0]["begin_ns"].get<double>() == Approx(end).margin(1e-6));
  CHECK(run["simulated_time_ns"].get<double>() ==
        Approx(all[2]["begin_ns"].get<double>() + time_of(run, 2)).margin(1e-6));
}

TEST_CASE("colocated: collectives of groups of chips run side by side", "[colocated]") {
  const TempDir dir;
  dir.write(
      "sums.yaml",
      "kind: collective\nmachine: trainium2_server\nworkload: {operation: all_reduce, bytes: 64 KiB}\n");
  dir.write(
      "all.yaml",
      "kind: colocated\nmachine: trainium2_server\nworkload:\n  programs:\n"
      "    low: {case: sums.yaml, cores: 0-31}\n    high: {case: sums.yaml, cores: 32-63, start: 1 us}\n");
  const Finished finished = run_program(
      {TAHOMA_BINARY, "run", "all.yaml", "--no-report", "--format", "json", "--isolated"}, dir.path());
  INFO(finished.err);
  REQUIRE(finished.status == 0);
  const json run = json::parse(finished.out);
  CHECK(run["golden"]["passed"] == true);
  REQUIRE(run["collectives"].size() == 2);
  for (const json& one : run["collectives"]) CHECK(one["correct"] == true);
  // Rows of the torus: no link is shared.
  for (const json& program : run["programs"])
    CHECK(program["slowdown"].get<double>() == Approx(1).epsilon(0.02));
}

TEST_CASE("colocated: what cannot be is refused with its place", "[colocated]") {
  CHECK_THAT(refusal("{only: one}"), Contains("E-RUN-026") && Contains("at least one program"));
  CHECK_THAT(refusal("{programs: {one: {cores: 0}}}"),
             Contains("E-RUN-026") && Contains("workload.programs.one.case"));
  CHECK_THAT(refusal("{programs: {one: {case: sum.yaml}}}"),
             Contains("E-RUN-026") && Contains("workload.programs.one.cores"));
  CHECK_THAT(refusal("{programs: {one: {case: sum.yaml, cores: 0-3}, two: {case: sum.yaml, cores: 3}}}"),
             Contains("E-RUN-026") && Contains("core 3 is also one of 'one'"));
  CHECK_THAT(
      refusal("{programs: {one: {case: sum.yaml, cores: 0, after: twoo}, two: {case: sum.yaml, cores: 1}}}"),
      Contains("E-RUN-026") && Contains("did you mean 'two'"));
  CHECK_THAT(
      refusal("{programs: {one: {case: sum.yaml, cores: 0, after: two}, two: {case: sum.yaml, cores: 1, "
              "after: one}}}"),
      Contains("E-RUN-026") && Contains("wait for each other"));
  CHECK_THAT(refusal("{programs: {one: {case: sum.yaml, cores: 8}}}"), Contains("E-TRC-003"));
  CHECK_THAT(refusal("{programs: {one: {case: sum.yaml, cores: 0, set: workload.elments=3}}}"),
             Contains("E-CFG-002") && Contains("workload.elements"));
  CHECK_THAT(refusal("{programs: {one: {case: sum.yaml, cores: 0, set: workload.cores=2}}}"),
             Contains("workload.programs.one.case") && Contains("cores"));
  CHECK_THAT(refusal("{programs: {one: {case: sum.yaml, cores: 1}}}",
                     "{extends: trainium2_one_chip, chip: {lnc: 2}}"),
             Contains("E-RUN-025") && Contains("whole logical cores"));
  CHECK_THAT(refusal("{programs: {one: {case: sum.yaml, cores: 7-8}}}", "trainium2_server"),
             Contains("E-RUN-025") && Contains("consecutive chips"));
  CHECK_THAT(refusal("{programs: {one: {caze: sum.yaml, cores: 0}}}"), Contains("E-CFG-002"));
  CHECK_THAT(refusal("{programs: {one: {case: all.yaml, cores: 0}}}"), Contains("colocated"));
}
