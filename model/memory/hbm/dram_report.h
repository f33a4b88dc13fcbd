// SPDX-License-Identifier: Apache-2.0
// Measurements of a channel of a DRAM stack, from its tally.
#pragma once

#include "model/base/measurements.h"
#include "model/memory/hbm/dram_access.h"

namespace tahoma::model {

// Adds to the stack's own counts what the channel has tallied.
base::ChannelMeasurement measure_channel(const base::ChannelMeasurement& counted, const dram::Tally& tally,
                                         const DramDesign& design, base::Duration elapsed);

}  // namespace tahoma::model
