// SPDX-License-Identifier: Apache-2.0
// Moves a transfer's values in functional mode and tells the race checker which disputed bytes of HBM the
// transfer has changed (model/check/disputed_writes.h).
#pragma once

#include "model/check/race_checker.h"
#include "model/engine/dma/transfer/transfer_side.h"

namespace tahoma::model {

void move_disputed_values(const TransferRequest& request, const CoreMemories& memories,
                          check::RaceChecker& checker);

}  // namespace tahoma::model
