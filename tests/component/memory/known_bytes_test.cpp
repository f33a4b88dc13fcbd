// SPDX-License-Identifier: Apache-2.0
// Compares sets of byte ranges with one flag per byte.
#include "model/sim/known_bytes.h"

#include <catch2/catch.hpp>
#include <random>
#include <vector>

using tahoma::sim::KnownBytes;

TEST_CASE("known bytes: any additions and removals give the same as one flag per byte", "[sim]") {
  constexpr unsigned kSeed = 20, kBytes = 96;
  INFO("seed " << kSeed);
  std::mt19937 random(kSeed);
  KnownBytes known;
  std::vector<bool> flag(kBytes);
  for (int step = 0; step < 3000; ++step) {
    const auto below = [&](std::uint64_t limit) { return static_cast<unsigned>(random() % limit); };
    const unsigned first = below(kBytes), bytes = below(kBytes - first + 1);
    const bool add = random() % 2 == 0;
    if (add)
      known.add(first, bytes);
    else
      known.remove(first, bytes);
    for (unsigned b = first; b < first + bytes; ++b) flag[b] = add;
    unsigned wrong = 0;
    for (unsigned b = 0; b < kBytes; ++b) wrong += known.contains(b, 1) != flag[b];
    REQUIRE(wrong == 0);
    const unsigned from = below(kBytes), length = 1 + below(kBytes - from);
    bool all = true;
    for (unsigned b = from; b < from + length; ++b) all = all && flag[b];
    REQUIRE(known.contains(from, length) == all);
  }
  known.remove(0, kBytes);
  CHECK(known.empty());
}
