// SPDX-License-Identifier: Apache-2.0
// Values over time, from the series that the statistics keep anyway (base::Series): bandwidth of HBM stacks
// and link directions, live bytes of memories. A value is the mean of its window, whose length grows with the
// run as that of the series does; values that stay as they are stand once.
#pragma once

#include <string>

#include "model/base/measurements.h"
#include "runtime/trace/timeline.h"

namespace tahoma::runtime {

void write_bandwidths(Timeline& timeline, const base::RunMeasurement& run);

// `core` or chip of a stack: whether it is `shown` says the caller. A full memory is `capacity` bytes.
void write_occupancy(Timeline& timeline, const std::string& path, bool shown, const base::Series& series,
                     base::Duration elapsed, double capacity);

}  // namespace tahoma::runtime
