// SPDX-License-Identifier: Apache-2.0
// From a schedule to programs: each rank's queue issues its transfers in the pipeline's order, each behind
// waits for the arrivals that it reads and for the slot that it writes.
#pragma once

#include "runtime/collective/channel.h"

namespace tahoma::runtime::collective {

// Appends the channel to the kernels of its seats. Throws UserError E-COL-010 when a core has not enough
// semaphores left, with what would help.
void lower(const Channel& channel, const Allocate& allocate);

}  // namespace tahoma::runtime::collective
