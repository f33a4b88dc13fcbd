// SPDX-License-Identifier: Apache-2.0
// Counters over time, from the series of the statistics (base::Series): bandwidth of HBM stacks and link
// directions, live bytes of memories. A value is the mean of its window, whose length grows with the run like
// that of the series; repeated equal values are written once.
#pragma once

#include <string>

#include "model/base/measurements.h"
#include "report/trace/timeline.h"

namespace tahoma::runtime {

void write_bandwidths(Timeline& timeline, const base::RunMeasurement& run);

// The caller decides whether the core, or the chip of a stack, is `shown`. A full
// memory has `capacity` bytes.
void write_occupancy(Timeline& timeline, const std::string& path, bool shown, const base::Series& series,
                     base::Duration elapsed, double capacity);

}  // namespace tahoma::runtime
