// SPDX-License-Identifier: Apache-2.0
#include "model/memory/dram/refresh.h"

#include <bit>

#include "model/base/error.h"

namespace tahoma::model::dram {

namespace {

std::uint64_t bits(std::uint32_t count) {
  return count >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1;
}

Tick takes_of(const Timing& t, Refresh kind) { return kind == Refresh::kPerBank ? t.rfc_bank : t.rfc_all; }

}  // namespace

Tick refresh_settles(const Organisation& o, const Timing& t, Refresh kind) {
  const Tick restored = t.rc + t.cwl + t.burst + t.wr + t.rp;
  const Tick in_turn = t.ppd + t.rrefd + t.rrd_long + t.activate_on_bus + t.other_on_bus;
  return restored + static_cast<Tick>(o.stack_ids * o.pseudo_channels) * in_turn + takes_of(t, kind);
}

RefreshSchedule::RefreshSchedule(const Organisation& o, const Timing& t, Refresh kind)
    : kind_(kind),
      banks_(o.all_banks()),
      per_stack_(o.banks_per_stack_id()),
      refi_(t.refi),
      phase_(t.refresh_phase),
      takes_(takes_of(t, kind)),
      parts_(kind == Refresh::kPerBank ? o.banks_per_stack_id() : 1) {
  turn(kind == Refresh::kNone ? 0 : refresh_turns(t, parts_, phase_));
}

void RefreshSchedule::turn(std::int64_t by) {
  turn_ += by;
  if (kind_ == Refresh::kNone) return;
  due_ = (turn_ + 1) * refi_ / parts_ - phase_;
  due_after_ = (turn_ + 2) * refi_ / parts_ - phase_;
  next_ = banks_of_turn();
}

std::uint64_t RefreshSchedule::banks_of_turn() const {
  if (by_stack()) return bits(banks_);
  std::uint64_t banks = 0;
  for (auto bank = static_cast<std::uint32_t>(turn_ % per_stack_); bank < banks_; bank += per_stack_)
    banks |= std::uint64_t{1} << bank;
  return banks;
}

void RefreshSchedule::claim() {
  const std::uint64_t banks = next_;
  TAHOMA_INVARIANT((claimed_ & banks) == 0, "a bank is due for refresh before its last one has begun");
  for (std::uint64_t left = banks; left != 0; left &= left - 1)
    last_[static_cast<std::size_t>(std::countr_zero(left))].claimed = due();
  claimed_ |= banks;
  turn(1);
}

RefreshSchedule::Skipped RefreshSchedule::skip(Tick until) {
  Skipped skipped;
  if (kind_ == Refresh::kNone || claimed_ != 0 || due() > until) return skipped;
  const std::int64_t passed = (until + phase_) * parts_ / refi_ - turn_;
  skipped.commands = static_cast<std::uint64_t>(passed) * (banks_ / per_stack_);
  if (passed >= parts_) {
    skipped.banks = bits(banks_);
    turn(passed);
    return skipped;
  }
  for (std::int64_t n = 0; n < passed; ++n, turn(1)) skipped.banks |= next_;
  return skipped;
}

void RefreshSchedule::refreshed(std::uint64_t banks, Tick at) {
  claimed_ &= ~banks;
  for (; banks != 0; banks &= banks - 1)
    last_[static_cast<std::size_t>(std::countr_zero(banks))].ready = at + takes_;
}

std::uint64_t RefreshSchedule::unit(std::uint32_t bank) const {
  if (!by_stack()) return std::uint64_t{1} << bank;
  return bits(per_stack_) << (bank / per_stack_ * per_stack_);
}

}  // namespace tahoma::model::dram
