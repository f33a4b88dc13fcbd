// SPDX-License-Identifier: Apache-2.0
// Busy time per window of simulated time. Windows start at 10 us and double whenever 256 of them are full, so
// a series never holds more than 256 windows and a window is never shorter than 1/256 of the run.
#pragma once

#include <vector>

#include "model/base/measurements.h"

namespace tahoma::sim {

class BusySeries {
 public:
  // Intervals may arrive in any order but must not overlap.
  void add(base::Time start, base::Time end);
  // `busy` of the interval, spread evenly over it.
  void add_share(base::Time start, base::Time end, base::Duration busy);
  base::Series series() const { return {window_, busy_}; }

 private:
  void double_window();
  std::size_t window_before(base::Time end);
  static constexpr std::size_t kMostWindows = 256;
  base::Duration window_{10'000'000'000};  // 10 us
  std::vector<base::Duration> busy_;
};

}  // namespace tahoma::sim
