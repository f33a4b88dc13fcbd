// SPDX-License-Identifier: Apache-2.0
// The golden check accepts the interval of values to which a sum, known to within `slack`, may round. It
// rounds from double with arithmetic of its own, not that of isa/, which is under test.
#pragma once

#include <cstdint>

#include "isa/core/dtype.h"

namespace tahoma::runtime {

// Standard deviations of the rounding model that are allowed. n roundings, each even over +-h, are off by
// more than k of their deviations h sqrt(n / 3) with a probability of at most 2 exp(-k^2 / 2): an even
// distribution is sub-Gaussian with its own variance (Chernoff's bound). A run compares at most 2^32
// elements, and 2^32 * 2 exp(-8.6^2 / 2) = 7.5e-7: of a million runs, fewer than one is refused by chance.
inline constexpr double kGoldenDeviations = 8.6;
inline constexpr double kGoldenElements = 0x1p32,
                        kGoldenFalseAlarms = 1e-6;  // for a run, by these deviations

// 2^-p for a format of p significant bits: the largest relative rounding error.
double unit_roundoff(isa::DType dtype);

// Below this value roundings are absolute: relative errors are meaningful only relative to |want| + this.
double smallest_normal(isa::DType dtype);

// Half a unit in the last place is at most unit_roundoff() times this: |value|, and the smallest normal
// number for what is smaller. 0 for a zero, which is exact.
double rounded_size(double value, isa::DType dtype);

// To nearest, ties to even, in one step; overflow gives an infinity. Float formats only (invariant).
double round_to(double value, isa::DType dtype);

// The allowed deviation of `roundings` fp32 roundings of sums no larger than `range`; the last term
// covers gradual underflow.
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
