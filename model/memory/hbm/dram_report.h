// SPDX-License-Identifier: Apache-2.0
// All stacks of DRAM channels report these alike: corrected errors, and the measurements of their channels.
#pragma once

#include <vector>

#include "model/base/measurements.h"
#include "model/memory/hbm/correctable_errors.h"
#include "model/memory/hbm/dram_access.h"
#include "model/memory/hbm/hbm_fault_params.h"

namespace tahoma::model {

// Repeats the accesses of a segment that meet an error, as far as its queue has room, and counts them.
// Returns whether there was one.
bool repeat_errors(CorrectableErrors& errors, const DramDesign& design, std::uint32_t channel,
                   dram::Segment& segment, base::ChannelMeasurement& counted, base::HbmMeasurement& stack);

// A channel as its stack has counted it, and what the channel has tallied.
struct CountedChannel {
  base::ChannelMeasurement counted;
  dram::Tally tally;
};
// Adds the channels of a stack, and how long its pins were busy, to its measurement, which has its path and
// its peak.
void add_channels(const std::vector<CountedChannel>& channels, const DramDesign& design,
                  const StackFaults& faults, base::Duration elapsed, base::HbmMeasurement& stack);

}  // namespace tahoma::model
