// SPDX-License-Identifier: Apache-2.0
// The long tables of a run's links and traffic, as CSV.
#pragma once

#include <string>

#include "model/base/columns.h"
#include "model/base/measurements.h"
#include "model/system/machine/machine_params.h"

namespace tahoma::runtime {

// links.csv: one line per direction of a link.
using LinkRecord = base::Measured<base::LinkMeasurement>;
const base::Columns<LinkRecord>& link_columns();
std::string links_csv(const base::RunMeasurement& run);

// Writes one line per window of each direction that carried data: name, window_start_ns, window_ns (shorter
// at the end of the run), busy_percent of that window.
std::string links_windows_csv(const base::RunMeasurement& run);

// Writes the payload bytes from the chip of the row to the chip of the column, for all chips.
std::string traffic_csv(const model::MachineParams& machine, const base::RunMeasurement& run);

}  // namespace tahoma::runtime
