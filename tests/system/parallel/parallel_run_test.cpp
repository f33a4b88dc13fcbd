// SPDX-License-Identifier: Apache-2.0
// A run in several processes has the statistics and the events of a run in one, byte for byte.
#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>

#include "model/base/error.h"
#include "model/system/parallel/agreement.h"
#include "runtime/host/sha256.h"
#include "runtime/report/files/statistics_tables.h"
#include "tests/support/program/forked_processes.h"
#include "tests/support/program/random_cases.h"

using namespace tahoma;

namespace {

// The digest of all statistics and events, in the order in which observers see the events; or "refused" with the error's code.
std::string outcome_in(const tests::RandomCase& c, model::Processes* processes) {
  try {
    const auto workload = tests::workload_with(c.make, c.settings);
    c.machine.check();
    workload->check(c.machine);
    runtime::Machine machine(c.machine, model::Mode::kTiming, {}, processes);
    workload->prepare(machine, 1);
    machine.seed(7);
    machine.allow_folding(false);
    tests::EventLines events;
    machine.observe(static_cast<base::Observer*>(&events));
    machine.observe(static_cast<base::ProbeObserver*>(&events));
    machine.observe(static_cast<base::TimelineObserver*>(&events));
    machine.run();
    base::StatSink sink;
    machine.collect(sink);
    std::sort(events.lines.begin(), events.lines.end());
    std::string all = runtime::stats_csv(sink.stats());
    for (const std::string& line : events.lines) all += line + "\n";
    return runtime::sha256_of(all);
  } catch (const base::UserError& error) {
    return std::string("refused ") + error.code;
  }
}

std::string outcome(const tests::RandomCase& c, std::uint32_t count) {
  return tests::in_child([&]() -> std::string {
    if (count == 1) return outcome_in(c, nullptr);
    tests::ForkedProcesses processes(count);
    if (processes.reports()) return outcome_in(c, &processes);
    try {
      outcome_in(c, &processes);
    } catch (...) {  // model::ReportedElsewhere, or process 0 has gone
    }
    _exit(0);
  });
}

void check_cases(std::uint32_t seed, int cases) {
  tests::RandomCases random(seed);
  int ran = 0;
  for (int n = 0; n < cases; ++n) {
    const tests::RandomCase c = random.next();
    const std::string one = outcome(c, 1);
    ran += one.starts_with("refused") ? 0 : 1;
    for (const std::uint32_t count : {2U, 3U, 4U}) {
      if (count > c.machine.chips()) continue;
      INFO("seed " << seed << ", case " << n << " in " << count << " processes: " << c.text);
      CHECK(outcome(c, count) == one);
    }
  }
  CHECK(ran >= cases / 2);
}

}  // namespace

TEST_CASE("parallel runs: random cases have the statistics and events of one process", "[parallel]") {
  check_cases(1, 8);
}

TEST_CASE("parallel runs: many random cases have the statistics and events of one process",
          "[parallel][slow]") {
  check_cases(2, 200);
}
