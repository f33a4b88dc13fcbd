// SPDX-License-Identifier: Apache-2.0
// The times of a run over its start phases: those of the throttle's windows and of refreshes, which run
// freely on silicon, so that no run knows them (studies/whatif/start_phases.h). Differences inside a band
// mean nothing.
//
// The band is from the r-th shortest to the r-th longest of n runs, and holds the time of another run with a
// chance of (n + 1 - 2 r) / (n + 1), whatever the distribution. r is the largest that keeps this from 95 %
// upwards, or 1: then all runs are inside, and below 39 runs the chance is less.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "model/base/declared.h"

namespace tahoma::runtime {

inline constexpr double kBandPercent = 95;

struct TimeBand {
  TAHOMA_STATISTICS(TimeBand);
  TAHOMA_LEVEL(std::uint64_t, runs, kCount, "runs with start phases of their own, with --repeat");
  TAHOMA_LEVEL(double, median_ns, kNanoseconds, "median of their times");
  TAHOMA_LEVEL(double, low_ns, kNanoseconds, "lower end of the band of their times");
  TAHOMA_LEVEL(double, high_ns, kNanoseconds, "upper end of the band of their times");
  TAHOMA_LEVEL(double, percent, kPercent, "chance that the band holds the time of another run");

  bool holds(double ns) const { return low_ns <= ns && ns <= high_ns; }
};

// `times` in nanoseconds, at least one.
inline TimeBand band_of(std::vector<double> times) {
  std::sort(times.begin(), times.end());
  const std::size_t n = times.size();
  const auto out_of = static_cast<double>(n + 1);
  const auto rank = std::max<std::size_t>(1, static_cast<std::size_t>(out_of * (100 - kBandPercent) / 200));
  TimeBand band;
  band.runs = n;
  band.median_ns = (times[(n - 1) / 2] + times[n / 2]) / 2;
  band.low_ns = times[rank - 1];
  band.high_ns = times[n - rank];
  band.percent = std::max(0.0, 100 * (out_of - 2 * static_cast<double>(rank)) / out_of);
  return band;
}

// Two runs are distinguishable if the median of neither is in the band of the other.
inline bool distinguishable(const TimeBand& a, const TimeBand& b) {
  return !a.holds(b.median_ns) && !b.holds(a.median_ns);
}

}  // namespace tahoma::runtime
