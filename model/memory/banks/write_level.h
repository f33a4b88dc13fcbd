// SPDX-License-Identifier: Apache-2.0
// Tracks the level of a write queue from the arrivals of writes alone, to tell when the next one finds space.
// Until more than `write_high` accesses are queued or no read is, none leaves; then they leave at the rate of
// the pins, until fewer than `write_low` are left or, without reads, none.
#pragma once

#include "model/memory/dram/timing.h"

namespace tahoma::model::dram {

class WriteLevel {
 public:
  // `pace` is the ticks for each access that leaves, `first` those from the decision to write to the first
  // that leaves.
  WriteLevel(const Policy& policy, Tick pace, Tick first) : policy_(policy), pace_(pace), first_(first) {}

  // A write of `accesses` arrives; from `reads_end` on no read is queued. Returns when it enters the queue.
  // Arrivals that are not in order are taken in the order of the calls.
  Tick enter(Tick arrival, std::uint32_t accesses, Tick reads_end);

 private:
  void leave(Tick until, bool idle);

  const Policy& policy_;
  Tick pace_, first_;
  std::uint32_t level_ = 0;  // accesses
  Tick changed_ = 0;         // when the last write entered
  Tick leaves_ = kNoTick;    // accesses leave from then on
};

}  // namespace tahoma::model::dram
