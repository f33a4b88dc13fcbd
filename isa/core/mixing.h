// SPDX-License-Identifier: Apache-2.0
// splitmix64 (Steele, Lea and Flood 2014), the same on every host: the numbers mixed(seed + n * kMixingStep),
// n = 1, 2, ..., are as good as random.
#pragma once

#include <cstdint>

namespace tahoma::isa {

constexpr std::uint64_t kMixingStep = 0x9E3779B97F4A7C15U;  // 2^64 over the golden ratio

// Every bit of the result depends on every bit of the argument; different arguments have different results.
constexpr std::uint64_t mixed(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9U;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBU;
  return x ^ (x >> 31);
}

}  // namespace tahoma::isa
