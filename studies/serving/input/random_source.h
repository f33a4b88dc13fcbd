// SPDX-License-Identifier: Apache-2.0
// Random numbers of a seed, the same on every host (isa/core/mixing.h). Each stream of a seed is independent
// of the others, so that a change of one distribution leaves the other values as they are.
//
// The distributions use log, cos and exp of the C library. Two libraries may differ in the last bit of a
// double, which changes a time or a number of tokens only if it falls on the border between two whole
// numbers.
#pragma once

#include <cmath>
#include <cstdint>
#include <numbers>

#include "isa/core/mixing.h"

namespace tahoma::runtime::serving {

class RandomSource {
 public:
  RandomSource(std::uint64_t seed, std::uint64_t stream)
      : state_(isa::mixed(seed + isa::kMixingStep) + isa::mixed((stream + 1) * isa::kMixingStep)) {}

  std::uint64_t bits() { return isa::mixed(state_ += isa::kMixingStep); }
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
  std::uint64_t state_;
};

}  // namespace tahoma::runtime::serving
