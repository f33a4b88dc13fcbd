// SPDX-License-Identifier: Apache-2.0
// What a transfer does to values, at the moment its first packet moves. In functional mode it is executed. In
// timing mode only control values move: a transfer whose sources are all known is executed and makes its
// destination known, any other makes its destination unknown.
#pragma once

#include "model/engine/dma/transfer_side.h"

namespace tahoma::model {

void move_values(const TransferRequest& request, const CoreMemories& memories);
void move_known_values(const TransferRequest& request, const CoreMemories& memories);

// An instruction of an engine in timing mode: nobody knows any longer what it writes. Per partition, all
// bytes from the first to the last of each destination count as written, gaps between its elements included.
void forget_written(const isa::Instruction& instruction, const CoreMemories& memories);

}  // namespace tahoma::model
