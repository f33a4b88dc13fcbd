// SPDX-License-Identifier: Apache-2.0
// What a channel counts. Times are ticks of its pseudo-channels' data pins, added up over them: data, idle
// and the three kinds of lost time make up the whole.
#pragma once

#include "model/memory/dram/timing.h"

namespace tahoma::model::dram {

struct Tally {
  std::uint64_t read_accesses = 0, write_accesses = 0;
  // By access: the row was open; the bank was closed; another row was open.
  std::uint64_t row_hits = 0, row_misses = 0, row_conflicts = 0;
  std::uint64_t activates = 0, precharges = 0, refreshes = 0;
  Tick data = 0;        // data on the pins
  Tick refresh = 0;     // work waited for a refresh
  Tick turnaround = 0;  // for the pins to turn between reads and writes
  Tick bank = 0;        // for a bank, a bank group or the activate window
  // Accesses queued, times ticks; and the most at one time.
  std::uint64_t read_queue_ticks = 0, write_queue_ticks = 0;
  std::uint32_t most_reads = 0, most_writes = 0;
};

}  // namespace tahoma::model::dram
