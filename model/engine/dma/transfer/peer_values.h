// SPDX-License-Identifier: Apache-2.0
// The values of a transfer between memories that several processes simulate (model/sim/peer_memory.h).
#pragma once

#include <functional>

#include "model/engine/core_memories.h"
#include "model/engine/ports/doorbell.h"
#include "model/sim/peer_memory.h"

namespace tahoma::model {

// Calls `move`, which moves the values of the transfer, when the bytes it reads are here: at once, or before
// the first answer of another chip's memory. Then sends what it has written to where it belongs. The request
// outlives the transfer.
void move_with_peers(const TransferRequest& request, const CoreMemories& memories, sim::PeerMemoryIf& peers,
                     const std::function<void()>& move);

}  // namespace tahoma::model
