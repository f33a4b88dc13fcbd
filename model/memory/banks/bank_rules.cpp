// SPDX-License-Identifier: Apache-2.0
#include "model/memory/banks/bank_rules.h"

#include <algorithm>
#include <bit>

namespace tahoma::model::dram {

BankRules::BankRules(const Organisation& o, const Timing& t, const Policy& p)
    : organisation(o),
      timing(t),
      policy(p),
      slot(std::max(t.column_slot, t.ccd_short)),
      same_group(std::max(slot, slot_at_or_after(t, t.ccd_long, 0))),
      activate_slot(std::max(t.rrd_short, (t.faw + 3) / 4)),
      ras(std::max(t.ras, t.rc - t.rp)),
      // A channel opens rows for the direction that it serves, so the first command waits for its row as
      // well.
      to_read(std::max(t.cwl + t.burst + t.wtr_short, t.rp + t.rcd_read) - slot),
      to_write(std::max(t.rtw, t.rp + t.rcd_write) - slot),
      read_queue(p.read_queue * slot / o.pseudo_channels),
      bank_bits_(std::countr_zero(o.banks)),
      group_bits_(std::countr_zero(o.groups)),
      pseudo_bits_(std::countr_zero(o.pseudo_channels)) {}

}  // namespace tahoma::model::dram
