// SPDX-License-Identifier: Apache-2.0
// One table holds the texts that reports have for a stall reason beside its name and its sentence
// (measurements.h).
#pragma once

#include <optional>

#include "model/base/measurements.h"

namespace tahoma::base {

// Returns Neuron Explorer's name for this time; "" if it has none.
const char* vendor_name_of(StallReason name);
const char* advice_of(StallReason name);  // what makes it shorter

// The largest of the times, or of the shares, that is neither busy nor idle; none if all are 0.
template <class Values>
std::optional<StallReason> largest_stall_of(const Values& values) {
  std::optional<StallReason> largest;
  for (std::size_t n = 0; n < kStallReasons; ++n) {
    const auto name = static_cast<StallReason>(n);
    if (name == StallReason::kBusy || name == StallReason::kIdle) continue;
    if (values[n] > (largest ? values[static_cast<std::size_t>(*largest)] : typename Values::value_type{}))
      largest = name;
  }
  return largest;
}

}  // namespace tahoma::base
