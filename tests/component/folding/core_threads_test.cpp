// SPDX-License-Identifier: Apache-2.0
#include "model/sim/core_threads.h"

#include <array>
#include <catch2/catch.hpp>
#include <stdexcept>
#include <string>

using namespace tahoma;

TEST_CASE("core threads: every number is visited once in every round", "[folding]") {
  sim::CoreThreads threads;
  std::array<int, 37> visits{};
  for (int round = 1; round <= 200; ++round) {
    threads.for_each(visits.size(), [&](std::size_t n) { ++visits[n]; });
    for (const int v : visits) REQUIRE(v == round);
  }
}

TEST_CASE("core threads: the lowest number that fails decides the error, and the next round works",
          "[folding]") {
  sim::CoreThreads threads;
  for (int round = 0; round < 50; ++round) {
    std::string error;
    try {
      threads.for_each(16, [](std::size_t n) {
        if (n % 5 == 3) throw std::runtime_error(std::to_string(n));
      });
    } catch (const std::runtime_error& e) {
      error = e.what();
    }
    REQUIRE(error == "3");
    std::atomic<int> visits = 0;
    threads.for_each(16, [&](std::size_t) { ++visits; });
    REQUIRE(visits == 16);
  }
}
