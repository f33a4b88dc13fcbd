// SPDX-License-Identifier: Apache-2.0
// Reports a deadlock, when no event is left but programs have not ended: which instruction of which engine
// waits for which semaphore, and which engines could still have raised it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/system/folding/unfolding.h"
#include "model/system/machine/chip.h"

namespace tahoma::model {

struct BlockedEngines {
  struct Line {
    std::uint32_t chip = 0;
    std::string text;
  };
  std::uint64_t count = 0;
  std::vector<Line> first;  // descriptions of the first of them, as many as the report has
};
// The engines that still wait when no event is left. Chips that are null are simulated elsewhere. `chips` has
// the representative of a chip that is not simulated.
BlockedEngines blocked_engines(const std::vector<Chip*>& chips, const MachineParams& params,
                               const Unfolding& unfolding);
// Throws UserError E-RUN-051 (no progress) if there are any. Each part has chips of its own; `at` is the time
// of the last event.
void refuse_deadlock(const std::vector<BlockedEngines>& parts, base::Time at);
// Throws UserError E-RUN-054: events are left at the time limit.
[[noreturn]] void refuse_overtime(base::Duration limit);
// Call when there is no deadlock: checks that no transfer is under way either.
void check_idle(const std::vector<Chip*>& chips, const MachineParams& params);

}  // namespace tahoma::model
