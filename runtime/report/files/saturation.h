// SPDX-License-Identifier: Apache-2.0
// When a resource counts as saturated: it was busy at least 95 % of one window. A window is the larger of 10
// us and 1/256 of the run. A last window that the run does not fill is left out, unless the run is shorter
// than one window: then the run is the window.
#pragma once

#include <cstdint>
#include <vector>

#include "model/base/measurements.h"

namespace tahoma::runtime {

inline constexpr double kSaturatedShare = 0.95;
inline constexpr base::Duration kSaturationWindow{10'000'000'000};  // the shortest that is judged

struct WindowShare {
  base::Duration start, length;
  double busy_percent = 0;
};
// Every window of the run, the last as short as the run leaves it; none of a resource that keeps no series.
// Windows are no shorter than `shortest`: with 0, as short as series of the run's length have them.
std::vector<WindowShare> windows_of(const base::Series& series, base::Duration elapsed,
                                    base::Duration shortest = kSaturationWindow);

// How many windows of the run were saturated.
std::uint64_t saturated_windows(const base::Series& series, base::Duration elapsed);

}  // namespace tahoma::runtime
