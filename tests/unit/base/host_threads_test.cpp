// SPDX-License-Identifier: Apache-2.0
#include "runtime/host/host_threads.h"

#include <array>
#include <catch2/catch.hpp>
#include <stdexcept>
#include <string>

using namespace tahoma;

TEST_CASE("host threads: of several blocks that fail, the first is reported", "[host_threads]") {
  const bool threads = std::thread::hardware_concurrency() > 1;
  for (int repetition = 0; repetition < 100; ++repetition) {
    // A thread with a block waits until the other thread has the next: one thread has 0 and 2, the other 1.
    std::array<std::atomic_flag, 3> begun{};
    std::string told;
    try {
      runtime::for_each_block(begun.size(), [&](std::uint64_t n) {
        begun[n].test_and_set();
        begun[n].notify_all();
        if (threads && n + 1 < begun.size()) begun[n + 1].wait(false);
        if (n >= 1) throw std::runtime_error(std::to_string(n));
      });
    } catch (const std::runtime_error& error) {
      told = error.what();
    }
    REQUIRE(told == "1");
  }
}

TEST_CASE("host threads: every block is done once", "[host_threads]") {
  std::array<std::atomic<int>, 50> done{};
  runtime::for_each_block(done.size(), [&](std::uint64_t n) { ++done[n]; });
  for (const std::atomic<int>& times : done) CHECK(times == 1);
}
