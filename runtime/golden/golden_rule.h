// SPDX-License-Identifier: Apache-2.0
// What the golden check accepts: the interval of values that a sum, known to within `slack`, may round to.
// Rounds from double by its own arithmetic, not by isa's, which is among the things under test.
#pragma once

#include <cstdint>

#include "isa/core/dtype.h"

namespace tahoma::runtime {

// Deviations of the rounding model that are allowed: exceeded with probability 2 exp(-18) = 3e-8 per element
// at most.
inline constexpr double kGoldenDeviations = 6;

// 2^-p for a format of p significant bits: the largest relative rounding error.
double unit_roundoff(isa::DType dtype);

// Below it roundings are absolute: relative errors mean something beside |want| + this.
double smallest_normal(isa::DType dtype);

// To nearest, ties to even, in one step; overflow gives an infinity. Float formats only (invariant).
double round_to(double value, isa::DType dtype);

// Six deviations of `roundings` fp32 roundings of sums no larger than `range`; the last term covers gradual
// underflow.
double accumulation_slack(double roundings, double range);

struct Bounds {
  double low = 0, high = 0;   // both inclusive; both NaN: got must be NaN
  bool may_overflow = false;  // an intermediate sum leaves the range of fp32: infinities and NaN pass too
  bool accept(double got) const;
};
Bounds bounds_of(double want, double slack, isa::DType dtype);

// 0 when both are the same NaN or infinity, infinity when only one is.
double error_between(double got, double want);

}  // namespace tahoma::runtime
