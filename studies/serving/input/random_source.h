// SPDX-License-Identifier: Apache-2.0
// Random numbers of a seed: splitmix64 (Steele, Lea and Flood 2014), the same on every host. Each stream of a
// seed is independent of the others, so that a change of one distribution leaves the other values as they
// are.
//
// The distributions use log, cos and exp of the C library. Two libraries may differ in the last bit of a
// double, which changes a time or a number of tokens only if it falls on the border between two whole
// numbers.
#pragma once

#include <cmath>
#include <cstdint>
#include <numbers>

namespace tahoma::runtime::serving {

class RandomSource {
 public:
  RandomSource(std::uint64_t seed, std::uint64_t stream)
      : state_(mixed(seed + kStep) + mixed((stream + 1) * kStep)) {}

  std::uint64_t bits() { return mixed(state_ += kStep); }
  // The number is in (0, 1], a multiple of 2^-53.
  double uniform() { return static_cast<double>((bits() >> 11) + 1) * 0x1p-53; }
  // Mean 1.
  double exponential() { return -std::log(uniform()); }
  // Mean 0, variance 1, by the method of Box and Muller.
  double normal() {
    const double radius = std::sqrt(2 * exponential());
    return radius * std::cos(2 * std::numbers::pi * uniform());
  }

 private:
  static constexpr std::uint64_t kStep = 0x9E3779B97F4A7C15ULL;  // 2^64 over the golden ratio
  static std::uint64_t mixed(std::uint64_t x) {
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ULL;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBULL;
    return x ^ (x >> 31);
  }

  std::uint64_t state_;
};

}  // namespace tahoma::runtime::serving
