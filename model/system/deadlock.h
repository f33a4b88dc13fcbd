// SPDX-License-Identifier: Apache-2.0
// Reports a deadlock, when no event is left but programs have not ended: which instruction of which engine
// waits for which semaphore, and which engines could still have raised it.
#pragma once

#include <vector>

#include "model/system/chip.h"
#include "model/system/folding/unfolding.h"

namespace tahoma::model {

// Returns if every stream has ended and every transfer has landed; otherwise throws UserError E-RUN-051 (no
// progress). `chips` has the representative of a chip that is not simulated.
void refuse_deadlock(const std::vector<Chip*>& chips, const MachineParams& params,
                     const Unfolding& unfolding);

}  // namespace tahoma::model
