// SPDX-License-Identifier: Apache-2.0
// The long tables of a run's links and traffic, as CSV in the format of statistics_tables.h.
#pragma once

#include <string>

#include "model/base/measurements.h"
#include "model/system/machine_params.h"

namespace tahoma::runtime {

// One line per direction of a link: name, from_chip, to_chip, axis, payload_bytes, wire_bytes, packets,
// goodput (payload bytes per second of the run), busy_percent, blocked_ns and blocked_percent (a packet was
// ready and the wire free, but the next buffer had no credit), queue_full_ns, queue_full_percent,
// queue_high_water (packets), saturated_windows (see saturation.h).
std::string links_csv(const base::RunMeasurement& run);

// One line per window of each direction that carried data: name, window_start_ns, window_ns (shorter at the
// end of the run), busy_percent of that window.
std::string links_windows_csv(const base::RunMeasurement& run);

// Payload bytes from the chip of the row to the chip of the column, for all chips.
std::string traffic_csv(const model::MachineParams& machine, const base::RunMeasurement& run);

}  // namespace tahoma::runtime
