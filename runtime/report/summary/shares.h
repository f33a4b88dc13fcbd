// SPDX-License-Identifier: Apache-2.0
// Shares of a time in percent, and rates.
#pragma once

#include "model/base/units.h"

namespace tahoma::runtime {

// 0 if the whole is 0.
inline double percent_of(base::Duration part, base::Duration whole) {
  return whole.fs <= 0 ? 0 : 100.0 * static_cast<double>(part.fs) / static_cast<double>(whole.fs);
}

// 0 if the time is 0.
inline double per_second(double amount, base::Duration elapsed) {
  return elapsed.fs <= 0 ? 0 : amount / elapsed.seconds();
}

}  // namespace tahoma::runtime
