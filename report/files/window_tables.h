// SPDX-License-Identifier: Apache-2.0
// Windowed series of engines, stacks and on-chip memory as CSV in the format of statistics_tables.h; those of
// links are in link_tables.h. The windows are those of the saturation rule (saturation.h).
#pragma once

#include <string>
#include <vector>

#include "model/base/measurements.h"
#include "report/files/engine_windows.h"
#include "report/memory/occupancy.h"

namespace tahoma::runtime {

// One line per window in which an engine was busy: name, window_start_ns, window_ns (shorter at the end of
// the run), busy_percent of that window. Windows without a line are 0.
std::string engines_csv(const base::RunMeasurement& run, const std::vector<EngineRecorder::Engine>& engines);

// Writes the series of stacks, with bandwidth: bytes per second at the stack's peak; empty if that is ideal.
std::string hbm_windows_csv(const base::RunMeasurement& run);

// Writes one line per window and filler: space, what, footprint_bytes (of the fullest core or stack), window
// (its number among all windows of the page; report.json has their length), mean_bytes live on the cores or
// stacks that hold live data.
std::string occupancy_csv(const std::vector<SpaceOccupancy>& occupancy);

}  // namespace tahoma::runtime
