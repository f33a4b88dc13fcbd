// SPDX-License-Identifier: Apache-2.0
#include "model/memory/dram/refresh.h"

#include <bit>

#include "model/base/error.h"

namespace tahoma::model::dram {

namespace {

std::uint64_t bits(std::uint32_t count) {
  return count >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1;
}

}  // namespace

RefreshSchedule::RefreshSchedule(const Organisation& o, const Timing& t, Refresh kind)
    : kind_(kind),
      banks_(o.all_banks()),
      per_stack_(o.banks_per_stack_id()),
      refi_(t.refi),
      takes_(kind == Refresh::kPerBank ? t.rfc_bank : t.rfc_all),
      parts_(kind == Refresh::kPerBank ? o.banks_per_stack_id() : 1),
      last_(o.all_banks()) {}

void RefreshSchedule::claim() {
  std::uint64_t next = 0;
  for (std::uint32_t bank = 0; bank < banks_; ++bank)
    if (by_stack() || bank % per_stack_ == turn_ % per_stack_) next |= std::uint64_t{1} << bank;
  TAHOMA_INVARIANT((claimed_ & next) == 0, "a bank is due for refresh before its last one has begun");
  for (std::uint32_t bank = 0; bank < banks_; ++bank)
    if ((next >> bank & 1) != 0) last_[bank].claimed = due();
  claimed_ |= next;
  ++turn_;
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
