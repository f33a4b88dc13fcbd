// SPDX-License-Identifier: Apache-2.0
// Closed-form times of a transfer on an idle machine, independent of the model: the first transfer of queue
// sync, as plain sums.
#pragma once

#include "tests/support/bench/machine_fixture.h"

namespace tahoma::tests {

// From the doorbell to the last engine's last read, for a share of `cycles` DMA cycles, from HBM or from
// SBUF.
inline base::Duration idle_read(const model::MachineParams& m, std::int64_t cycles, bool from_hbm = true) {
  const model::DmaParams& d = m.chip.core.dma;
  const base::Clock clock(d.clock);
  const base::Duration hbm = from_hbm ? d.cold_read + unloaded_read(m) : base::Duration{0};
  return d.doorbell_sync + d.first_doorbell + d.start_up + d.skew_half + d.skew_far * 7 + hbm +
         clock.length({cycles}) + clock.length(d.read_overlap);
}

// From data written to SBUF to the visible semaphore.
inline base::Duration semaphore_behind(const model::MachineParams& m) {
  const model::DmaParams& d = m.chip.core.dma;
  return d.write_sbuf + d.semaphore_write - d.semaphore_return;
}

}  // namespace tahoma::tests
