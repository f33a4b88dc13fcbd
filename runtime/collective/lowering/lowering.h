// SPDX-License-Identifier: Apache-2.0
// From a schedule to programs: each rank's queue issues its transfers in the pipeline's order, each behind
// waits for the arrivals that it reads and for the slot that it writes.
#pragma once

#include <optional>
#include <vector>

#include "runtime/collective/lowering/channel_semaphores.h"

namespace tahoma::runtime::collective {

// By rank: what its core's semaphore stands at when all that others send to its output is there; none where
// nobody sends anything there.
using Completions = std::vector<std::optional<Semaphores::Level>>;

// Appends the channel to the kernels of its seats; its queues wait for the end of it. Throws UserError
// E-COL-010 when a core has not enough semaphores left, with what would help.
Completions lower(const Channel& channel, const Allocate& allocate);

}  // namespace tahoma::runtime::collective
