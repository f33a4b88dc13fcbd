// SPDX-License-Identifier: Apache-2.0
// The order in which the modules of a machine are constructed has no effect: statistics, events and values
// are the same, byte for byte.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <numeric>
#include <random>

#include "tests/support/program/case_outcome.h"
#include "tests/support/program/forked_processes.h"

using namespace tahoma;

namespace {

using Order = std::vector<std::uint32_t>;

std::string outcome(const tests::RandomCase& c, model::Mode mode, const Order& order) {
  return tests::in_processes(
      1, [&](model::Processes*) { return tests::case_outcome(c, mode, {.order = order}); });
}

// Checks random cases, each in the reverse and in two random orders of its chips.
void check_orders(std::uint32_t seed, int cases, model::Mode mode) {
  tests::RandomCases random(seed);
  std::mt19937 shuffles(seed);
  int compared = 0;
  for (int n = 0; n < cases; ++n) {
    const tests::RandomCase c = random.next();
    Order order(c.machine.chips());
    std::iota(order.begin(), order.end(), 0);
    const std::string by_number = outcome(c, mode, order);
    CHECK(!by_number.starts_with("wrong"));
    std::reverse(order.begin(), order.end());
    for (int shuffle = 0; shuffle < 3; ++shuffle) {
      INFO("seed " << seed << ", case " << n << ", order " << fmt::format("{}", fmt::join(order, " ")) << ": "
                   << c.text);
      CHECK(outcome(c, mode, order) == by_number);
      std::shuffle(order.begin(), order.end(), shuffles);
    }
    compared += by_number.starts_with("refused") || order.size() < 2 ? 0 : 1;
  }
  CHECK(compared >= cases / 3);
}

}  // namespace

TEST_CASE("elaboration: the order of construction changes no statistic and no event", "[elaboration]") {
  check_orders(11, 6, model::Mode::kTiming);
}

TEST_CASE("elaboration: the order of construction changes no value", "[elaboration]") {
  check_orders(12, 3, model::Mode::kFunctional);
}

TEST_CASE("elaboration: the order of construction changes nothing in many cases", "[elaboration][slow]") {
  check_orders(13, 100, model::Mode::kTiming);
  check_orders(14, 50, model::Mode::kFunctional);
}

TEST_CASE("elaboration: what the cases are compared by tells machines apart", "[elaboration]") {
  tests::RandomCases random(15);
  const tests::RandomCase c = random.next();
  tests::RandomCase slower = c;
  slower.machine.chip.noc.request.fs += 1000;  // every transfer to HBM
  const std::string one = outcome(c, model::Mode::kTiming, {});
  CHECK(outcome(c, model::Mode::kTiming, {}) == one);
  CHECK(outcome(slower, model::Mode::kTiming, {}) != one);
}
