// SPDX-License-Identifier: Apache-2.0
// What a transfer takes on an idle machine, written down a second time: the first of queue sync, all sums.
#pragma once

#include "tests/support/bench/machine_fixture.h"

namespace tahoma::tests {

// Doorbell to the last engine's last read, for a share of so many DMA cycles; from HBM or from SBUF.
inline base::Duration idle_read(const model::MachineParams& m, std::int64_t cycles, bool from_hbm = true) {
  const model::DmaParams& d = m.chip.core.dma;
  const base::Clock clock(d.clock);
  const base::Duration hbm = from_hbm ? d.cold_read + unloaded_read(m) : base::Duration{0};
  return d.doorbell_sync + d.first_doorbell + d.start_up + d.skew_half + d.skew_far * 7 + hbm +
         clock.length({cycles}) + clock.length(d.read_overlap);
}

// Data written to SBUF, and the semaphore behind it visible.
inline base::Duration semaphore_behind(const model::MachineParams& m) {
  const model::DmaParams& d = m.chip.core.dma;
  return d.write_sbuf + d.semaphore_write - d.semaphore_return;
}

}  // namespace tahoma::tests
