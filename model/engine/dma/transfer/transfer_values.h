// SPDX-License-Identifier: Apache-2.0
// Moves a transfer's values when its first packet moves. Functional mode executes the transfer. Timing mode
// moves only control values: a transfer whose sources are all known is executed and makes its destination
// known; any other makes its destination unknown. In functional mode every core for which this one stands
// makes its own transfer.
#pragma once

#include "model/engine/dma/transfer/transfer_side.h"

namespace tahoma::model {

void move_values(const TransferRequest& request, const CoreMemories& memories);
void move_known_values(const TransferRequest& request, const CoreMemories& memories);

// Marks everything that an engine's instruction writes as unknown, in timing mode. Per partition, all bytes
// from the first to the last of each destination count as written, gaps between its elements included.
void forget_written(const isa::Instruction& instruction, const CoreMemories& memories);

}  // namespace tahoma::model
