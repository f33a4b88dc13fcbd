// SPDX-License-Identifier: Apache-2.0
// Percentiles of times by nearest rank: the p-th percentile of n values is the value of rank ceil(p n / 100)
// in ascending order. It is always one of the values.
#pragma once

#include <cstddef>
#include <vector>

#include "model/base/units.h"
#include "studies/serving/input/nanoseconds.h"

namespace tahoma::runtime::serving {

struct TimeStatistics {
  std::size_t count = 0;  // 0: the other members are 0
  Nanoseconds p50, p90, p99, most;
  double mean_seconds = 0;
};

class TimeSamples {
 public:
  void add(Nanoseconds time) { times_.push_back(time); }
  // `percent` is 1 .. 100. The samples are not empty.
  Nanoseconds percentile(std::size_t percent);
  TimeStatistics statistics();
  std::size_t size() const { return times_.size(); }

 private:
  std::vector<Nanoseconds> times_;
};

}  // namespace tahoma::runtime::serving
