// SPDX-License-Identifier: Apache-2.0
// Shares of a time, in percent.
#pragma once

#include "model/base/units.h"

namespace tahoma::runtime {

// 0 when the whole is nothing.
inline double percent_of(base::Duration part, base::Duration whole) {
  return whole.fs <= 0 ? 0 : 100.0 * static_cast<double>(part.fs) / static_cast<double>(whole.fs);
}

}  // namespace tahoma::runtime
