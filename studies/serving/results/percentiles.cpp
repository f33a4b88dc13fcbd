// SPDX-License-Identifier: Apache-2.0
#include "studies/serving/results/percentiles.h"

#include <algorithm>

namespace tahoma::runtime::serving {

Nanoseconds TimeSamples::percentile(std::size_t percent) {
  const std::size_t rank = std::max<std::size_t>(1, (percent * times_.size() + 99) / 100);
  const auto at = times_.begin() + static_cast<std::ptrdiff_t>(rank - 1);
  std::nth_element(times_.begin(), at, times_.end());
  return *at;
}

TimeStatistics TimeSamples::statistics() {
  if (times_.empty()) return {};
  base::Int128 sum = 0;
  for (const Nanoseconds time : times_) sum += time.count;
  const double mean = static_cast<double>(sum) / static_cast<double>(times_.size()) / 1e9;
  return {times_.size(), percentile(50), percentile(90), percentile(99), percentile(100), mean};
}

}  // namespace tahoma::runtime::serving
