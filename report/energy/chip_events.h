// SPDX-License-Identifier: Apache-2.0
// The energy events of each chip: those of its cores' work, and those that the measurement of the run counts.
// All chips draw power for the whole run, whether they execute a program or not, except dead ones. A link
// belongs to the chip that sends; one that leaves a switch, to the chip that receives.
#pragma once

#include <vector>

#include "model/base/measurements.h"
#include "model/system/machine/machine_params.h"
#include "report/energy/work_recorder.h"

namespace tahoma::runtime {

inline constexpr double kBitsPerByte = 8;

// Returns the counts of each chip. Without the DRAM model, a row is opened for each page of data, and refresh
// is not counted.
std::vector<EventCounts> chip_events(const model::MachineParams& machine, const base::RunMeasurement& run,
                                     const RecordedWork& work);

// The clock of an engine whose busy time is counted, of a healthy chip.
double clock_hz(const model::CoreParams& core, std::size_t engine);

}  // namespace tahoma::runtime
