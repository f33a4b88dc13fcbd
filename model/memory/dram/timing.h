// SPDX-License-Identifier: Apache-2.0
// The timing rules of a pseudo-channel and the policy of its controller, resolved from the parameters into
// counts of ticks. A tick is half a cycle of the command clock, the granularity of the row bus. Every rule is
// the least distance between two commands; the names are those of JESD238 (HBM3).
#pragma once

#include <cstdint>

#include "model/base/units.h"
#include "model/memory/dram/organisation.h"
#include "model/memory/dram/policy_params.h"

namespace tahoma::model::dram {

using Tick = std::int64_t;
inline constexpr Tick kNoTick = INT64_MAX / 4;

struct Timing {
  Tick burst = 4;                                       // data of one access on the pins
  Tick cl = 0, cwl = 0;                                 // column command to the first data
  Tick rcd_read = 0, rcd_write = 0;                     // activate to column command, same bank
  Tick rp = 0, ras = 0, rc = 0;                         // same bank
  Tick wr = 0, rtp = 0;                                 // end of write data, read, to precharge: same bank
  Tick ccd_short = 4, ccd_long = 8;                     // other group, same group
  Tick ccd_stack = 6, ccd_stack_write = 6;              // other stack ID: reads, writes
  Tick rrd_short = 0, rrd_long = 0;                     // activates: other group or stack ID, same group
  Tick faw = 0;                                         // any five activates of the pseudo-channel
  Tick wtr_short = 0, wtr_long = 0;                     // end of write data to read: other group, same group
  Tick rtw = 0;                                         // read to write
  Tick ppd = 0;                                         // precharges of the pseudo-channel
  Tick rfc_all = 0, rfc_bank = 0, rrefd = 0, refi = 0;  // refresh
  Tick refresh_phase = 0;                               // by which refreshes are due before, below refi
  // How long a command occupies the row bus of the channel; its column bus is shared by slots.
  Tick activate_on_bus = 3, other_on_bus = 1;
  Tick column_slot = 4;                               // from one slot of a pseudo-channel to its next
  base::Clock clock{base::Frequency{3'200'000'000}};  // of ticks: twice the command clock
};

// The number of refreshes, `parts` of them in a tREFI, that are due by `until` in a machine without a phase.
constexpr Tick refresh_turns(const Timing& t, Tick parts, Tick until) {
  return ((until + 1) * parts - 1) / t.refi;
}

struct Policy {
  Scheduler scheduler = Scheduler::kFrFcfsRowHit;
  PagePolicy page = PagePolicy::kOpen;
  Tick page_timeout = 0;  // closed: 0
  Refresh refresh = Refresh::kPerBank;
  ColumnBus column_bus = ColumnBus::kSlots;  // arbitrated: with slots of one cycle
  QueueExit queue_exit = QueueExit::kLastCommand;
  std::uint32_t read_queue = 128, write_queue = 64;  // accesses of the channel
  std::uint32_t write_high = 51, write_low = 12;     // drain from above `high` to below `low`
};

// Returns the slots of pseudo-channel `pseudo`: ticks congruent to this modulo column_slot. They begin at
// whole cycles.
constexpr Tick slot_phase(const Timing& t, std::uint32_t pseudo, std::uint32_t pseudo_channels) {
  return t.column_slot * pseudo / pseudo_channels & ~Tick{1};
}
constexpr Tick slot_at_or_after(const Timing& t, Tick when, Tick phase) {
  const Tick slot = t.column_slot;
  if ((slot & (slot - 1)) == 0) return ((when - phase + slot - 1) & -slot) + phase;  // avoids a division
  const Tick past = (when - phase) % slot;
  return past == 0 ? when : when + slot - (past > 0 ? past : past + slot);
}

}  // namespace tahoma::model::dram
