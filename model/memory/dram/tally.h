// SPDX-License-Identifier: Apache-2.0
// The counters of a channel. Times are ticks of its pseudo-channels' data pins, summed over them: data, idle
// and the three kinds of lost time add up to the total.
#pragma once

#include "model/base/measurements.h"
#include "model/memory/dram/timing.h"

namespace tahoma::model::dram {

struct Tally : base::DramCounts {
  std::uint64_t read_accesses = 0, write_accesses = 0;
  Tick data = 0;        // data on the pins
  Tick refresh = 0;     // work waited for a refresh
  Tick turnaround = 0;  // the pins switched between reads and writes
  Tick bank = 0;        // work waited for a bank, a bank group or the activate window
  // Queued accesses times ticks, and the maximum.
  std::uint64_t read_queue_ticks = 0, write_queue_ticks = 0;
  std::uint32_t most_reads = 0, most_writes = 0;
};

}  // namespace tahoma::model::dram
