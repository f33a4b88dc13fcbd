// SPDX-License-Identifier: Apache-2.0
// Resolves the DRAM parameters and the stack's capacity and bandwidth into the plain values that its channels
// use. The command clock is the one at which all pseudo-channels, each with a column command every ccd_short
// cycles, reach the bandwidth; times in nanoseconds become whole cycles of it, rounded up. All parameters
// must have passed check_dram().
#pragma once

#include "model/memory/dram/organisation.h"
#include "model/memory/dram/timing.h"
#include "model/memory/hbm/dram_params.h"

namespace tahoma::model {

// Returns the organisation of a stack of `capacity`, from which the rows of a bank follow.
dram::Organisation organisation_of(const DramParams& p, base::Bytes capacity);
base::Frequency command_clock(const DramParams& p, base::Bandwidth stack);
// Resolves the timing to ticks, half cycles of the command clock of a stack of this bandwidth. An ideal rule
// imposes no limit, except that reads and writes never overlap on the pins.
dram::Timing timing_of(const DramParams& p, base::Bandwidth stack);
dram::Policy policy_of(const DramParams& p, base::Bandwidth stack);

}  // namespace tahoma::model
