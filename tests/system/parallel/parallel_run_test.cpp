// SPDX-License-Identifier: Apache-2.0
// A run in several processes has the statistics, the events and the values of a run in one, byte for byte,
// whether equal chips are simulated once or each of them is.
#include <fmt/format.h>

#include <catch2/catch.hpp>

#include "tests/support/program/case_outcome.h"
#include "tests/support/program/forked_processes.h"

using namespace tahoma;

namespace {

std::string outcome(const tests::RandomCase& c, model::Mode mode, std::uint32_t count, bool fold) {
  return tests::in_processes(count, [&](model::Processes* processes) {
    return tests::case_outcome(c, mode, {.processes = processes, .fold = fold});
  });
}

bool folds(const tests::RandomCase& c, model::Mode mode) {
  return tests::in_processes(2, [&](model::Processes* processes) {
           std::size_t simulated = c.machine.chips();
           tests::case_outcome(c, mode, {.processes = processes, .fold = true, .simulated = &simulated});
           return std::string(simulated < c.machine.chips() ? "yes" : "no");
         }) == "yes";
}

// Returns how many of the cases fold.
int check_cases(std::uint32_t seed, int cases, model::Mode mode) {
  tests::RandomCases random(seed);
  int ran = 0, folded = 0;
  for (int n = 0; n < cases; ++n) {
    const tests::RandomCase c = random.next();
    const std::string one = outcome(c, mode, 1, false);
    CHECK(!one.starts_with("wrong"));
    ran += one.starts_with("refused") ? 0 : 1;
    if (c.machine.chips() == 1) continue;
    folded += folds(c, mode) ? 1 : 0;
    for (const std::uint32_t count : {2U, 3U, 4U}) {
      if (count > c.machine.chips()) continue;
      const bool fold = (static_cast<unsigned>(n) + count) % 2 == 0;
      INFO("seed " << seed << ", case " << n << " in " << count << " processes, "
                   << (fold ? "folded: " : "whole: ") << c.text);
      CHECK(outcome(c, mode, count, fold) == one);
    }
  }
  CHECK(ran >= cases / 2);
  return folded;
}

}  // namespace

TEST_CASE("parallel runs: random cases have the statistics and events of one process", "[parallel][long]") {
  CHECK(check_cases(1, 5, model::Mode::kTiming) >= 1);
}

TEST_CASE("parallel runs: many random cases have the statistics and events of one process",
          "[parallel][slow]") {
  CHECK(check_cases(2, 200, model::Mode::kTiming) >= 200 / 5);
}

TEST_CASE("parallel runs: random cases have the values of one process", "[parallel][long]") {
  check_cases(3, 4, model::Mode::kFunctional);
}

TEST_CASE("parallel runs: many random cases have the values of one process", "[parallel][slow]") {
  check_cases(4, 120, model::Mode::kFunctional);
}
