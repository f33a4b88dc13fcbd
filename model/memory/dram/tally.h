// SPDX-License-Identifier: Apache-2.0
// The counters of a channel. Times are ticks of its pseudo-channels' data pins, summed over them: data, idle
// and the three kinds of lost time add up to the total.
#pragma once

#include "model/memory/dram/timing.h"

namespace tahoma::model::dram {

struct Tally {
  std::uint64_t read_accesses = 0, write_accesses = 0;
  // Accesses whose row was open, whose bank was closed, and whose bank had another row open.
  std::uint64_t row_hits = 0, row_misses = 0, row_conflicts = 0;
  std::uint64_t activates = 0, precharges = 0, refreshes = 0;
  Tick data = 0;        // data on the pins
  Tick refresh = 0;     // work waited for a refresh
  Tick turnaround = 0;  // the pins switched between reads and writes
  Tick bank = 0;        // work waited for a bank, a bank group or the activate window
  // Queued accesses times ticks, and the maximum.
  std::uint64_t read_queue_ticks = 0, write_queue_ticks = 0;
  std::uint32_t most_reads = 0, most_writes = 0;
};

}  // namespace tahoma::model::dram
