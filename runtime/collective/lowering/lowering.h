// SPDX-License-Identifier: Apache-2.0
// Lowers a schedule to programs: each rank's queue issues its transfers in the pipeline's order, each after
// waits for the arrivals that it reads and for the slot that it writes.
#pragma once

#include <optional>
#include <vector>

#include "runtime/collective/schedule/channel_semaphores.h"

namespace tahoma::runtime::collective {

// Each rank has the level of its core's semaphore when all data sent to its output have arrived; it is unset
// if no rank sends any.
using Completions = std::vector<std::optional<Semaphores::Level>>;

// Appends the channel to the kernels of its seats; its queues wait for its end. Throws UserError E-COL-010
// with a suggestion if a core does not have enough semaphores left.
Completions lower(const Channel& channel, const Allocate& allocate);

}  // namespace tahoma::runtime::collective
