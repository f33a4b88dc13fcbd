// SPDX-License-Identifier: Apache-2.0
#include "model/memory/dram/rules.h"

#include <bit>

#include "model/base/error.h"

namespace tahoma::model::dram {

namespace {

constexpr Tick kLongAgo = -kNoTick;

template <class Earliest>
Tick latest_of(std::uint64_t banks, Earliest&& earliest) {
  Tick latest = 0;
  for (; banks != 0; banks &= banks - 1)
    latest = std::max(latest, earliest(static_cast<std::uint32_t>(std::countr_zero(banks))));
  return latest;
}

}  // namespace

Rules::Rules(const Organisation& o, const Timing& timing, Banks& banks)
    : t_(timing),
      banks_(banks),
      group_shift_(std::countr_zero(o.banks)),
      stack_shift_(std::countr_zero(o.banks_per_stack_id())),
      stack_ids_(o.stack_ids) {
  TAHOMA_INVARIANT(std::has_single_bit(o.banks) && std::has_single_bit(o.banks_per_stack_id()),
                   "banks and bank groups come in powers of two");
  recent_.fill(kLongAgo);
}

Tick Rules::precharge_all(std::uint64_t banks) const {
  return latest_of(banks, [this](std::uint32_t bank) { return precharge(bank); });
}

Tick Rules::refresh_all(std::uint64_t banks) const {
  return latest_of(banks, [this](std::uint32_t bank) { return refresh_bank(bank); });
}

void Rules::activated(std::uint32_t bank, Tick at) {
  BankState& b = banks_[bank];
  b.activate = at + t_.rc;
  b.precharge = at + t_.ras;
  b.column = {at + t_.rcd_read, at + t_.rcd_write};
  b.last_column = at;
  activate_ = std::max(activate_, at + t_.rrd_short);
  Tick& group = groups_[group_of(bank)].activate;
  group = std::max(group, at + t_.rrd_long);
  recent_[oldest_] = at;
  oldest_ = (oldest_ + 1) % static_cast<std::uint32_t>(recent_.size());
}

void Rules::precharged(std::uint32_t bank, Tick at) {
  BankState& b = banks_[bank];
  b.activate = std::max(b.activate, at + t_.rp);
  precharge_ = at + t_.ppd;
}

void Rules::accessed(std::uint32_t bank, Direction d, Tick at) {
  const auto later = [](Tick& earliest, Tick when) { earliest = std::max(earliest, when); };
  BankState& b = banks_[bank];
  Group& group = groups_[group_of(bank)];
  const std::uint32_t own = stack_of(bank);
  const Tick other_stack = d == kReading ? t_.ccd_stack : t_.ccd_stack_write;
  b.last_column = at;
  later(group.column[d], at + t_.ccd_long);
  for (std::uint32_t s = 0; s < stack_ids_; ++s)
    later(stack_column_[d][s], at + (s == own ? t_.ccd_short : other_stack));
  if (d == kReading) {
    later(b.precharge, at + t_.rtp);
    later(turned_[kWriting], at + t_.rtw);
  } else {
    const Tick written = at + t_.cwl + t_.burst;
    later(b.precharge, written + t_.wr);
    later(group.column[kReading], written + t_.wtr_long);
    later(turned_[kReading], written + t_.wtr_short);
  }
}

void Rules::refreshed(std::uint32_t bank, Tick at, Tick takes) {
  banks_[bank].activate = std::max(banks_[bank].activate, at + takes);
  activate_ = std::max(activate_, at + t_.rrefd);
}

}  // namespace tahoma::model::dram
