// SPDX-License-Identifier: Apache-2.0
// A resource counts as saturated in a window if it was busy for at least 95 % of it. A window is the larger
// of 10 us and about 1/256 of the run (10 us times a power of two, so that windows of all series agree). A
// last window that the run does not fill is excluded, unless the run is shorter than one window: then the run
// is the window.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/base/measurements.h"

namespace tahoma::runtime {

inline constexpr double kSaturatedShare = 0.95;
inline constexpr base::Duration kSaturationWindow{10'000'000'000};  // the shortest window

struct WindowShare {
  base::Duration start, length;
  double busy_percent = 0;
};
// Every window of the run; the last is shortened to the end of the run. Empty for a resource without a
// series. Windows are at least `shortest`; with 0, as short as the series of the run's length have them.
std::vector<WindowShare> windows_of(const base::Series& series, base::Duration elapsed,
                                    base::Duration shortest = kSaturationWindow);

// "busy >= 95 % of 10 us": the definition for a run of that length, as reports print it.
std::string saturation_text(base::Duration elapsed);

// The number of saturated windows of the run.
std::uint64_t saturated_windows(const base::Series& series, base::Duration elapsed);

}  // namespace tahoma::runtime
