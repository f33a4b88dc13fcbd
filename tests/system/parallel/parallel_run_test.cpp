// SPDX-License-Identifier: Apache-2.0
// A run in several processes has the statistics, the events and the values of a run in one, byte for byte.
#include <fmt/format.h>

#include <catch2/catch.hpp>

#include "model/base/error.h"
#include "runtime/host/sha256.h"
#include "tests/support/program/forked_processes.h"
#include "tests/support/program/random_cases.h"

using namespace tahoma;

namespace {

// The digest of all statistics, events and values, or "refused" with the error's code.
std::string outcome_in(const tests::RandomCase& c, model::Mode mode, model::Processes* processes) {
  try {
    const auto workload = tests::checked_workload(c);
    runtime::Machine machine(c.machine, mode, {}, processes);
    machine.allow_folding(false);
    const auto [statistics, events] = tests::observed_run(*workload, machine);
    if (processes != nullptr && !processes->reports()) return "";
    const std::string values = tests::values_of(*workload, machine);
    if (values.starts_with("wrong")) return values;
    return runtime::sha256_of(statistics + events + values);
  } catch (const base::UserError& error) {
    return std::string("refused ") + error.code;
  }
}

std::string outcome(const tests::RandomCase& c, model::Mode mode, std::uint32_t count) {
  return tests::in_processes(count,
                             [&](model::Processes* processes) { return outcome_in(c, mode, processes); });
}

void check_cases(std::uint32_t seed, int cases, model::Mode mode) {
  tests::RandomCases random(seed);
  int ran = 0;
  for (int n = 0; n < cases; ++n) {
    const tests::RandomCase c = random.next();
    const std::string one = outcome(c, mode, 1);
    CHECK(!one.starts_with("wrong"));
    ran += one.starts_with("refused") ? 0 : 1;
    for (const std::uint32_t count : {2U, 3U, 4U}) {
      if (count > c.machine.chips()) continue;
      INFO("seed " << seed << ", case " << n << " in " << count << " processes: " << c.text);
      CHECK(outcome(c, mode, count) == one);
    }
  }
  CHECK(ran >= cases / 2);
}

}  // namespace

TEST_CASE("parallel runs: random cases have the statistics and events of one process", "[parallel]") {
  check_cases(1, 8, model::Mode::kTiming);
}

TEST_CASE("parallel runs: many random cases have the statistics and events of one process",
          "[parallel][slow]") {
  check_cases(2, 200, model::Mode::kTiming);
}

TEST_CASE("parallel runs: random cases have the values of one process", "[parallel]") {
  check_cases(3, 6, model::Mode::kFunctional);
}

TEST_CASE("parallel runs: many random cases have the values of one process", "[parallel][slow]") {
  check_cases(4, 120, model::Mode::kFunctional);
}
