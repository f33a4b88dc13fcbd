// SPDX-License-Identifier: Apache-2.0
// Busy time per window of simulated time. Windows start at 10/32 us and double whenever 256 of them are full,
// so a series never holds more than 256 windows. The saturation report judges windows of 10 us, which are
// single windows of the series or sums of several (report/text/saturation.h).
#pragma once

#include <vector>

#include "model/base/measurements.h"

namespace tahoma::base {

class BusySeries {
 public:
  // Intervals may arrive in any order but must not overlap.
  void add(Time start, Time end);
  // Spreads the interval's `busy` time evenly over it.
  void add_share(Time start, Time end, Duration busy);
  Series series() const { return {window_, busy_}; }

 private:
  void double_window();
  std::size_t window_before(Time end);
  static constexpr std::size_t kMostWindows = 256;
  Duration window_{312'500'000};  // 10/32 us
  std::vector<Duration> busy_;
  std::size_t last_ = 0;  // the window of the last interval: the next one is seldom in another
};

}  // namespace tahoma::base
