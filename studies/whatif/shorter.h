// SPDX-License-Identifier: Apache-2.0
// By how much a repetition is shorter than the run.
#pragma once

#include "model/base/shares.h"

namespace tahoma::runtime {

// Smaller reductions are not shown, so they name no bottleneck: percent, half of the last decimal place.
inline constexpr double kLeastReduction = 0.05;

inline double percent_shorter(base::Duration whole, base::Duration time) {
  return base::percent_of(whole - time, whole);
}

}  // namespace tahoma::runtime
