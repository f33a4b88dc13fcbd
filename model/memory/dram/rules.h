// SPDX-License-Identifier: Apache-2.0
// Computes when the timing rules permit the next command of each kind to a pseudo-channel's banks: the
// earliest ticks that follow from the commands issued so far. It is independent of requests.
//
// A refresh keeps tRREFD from the next refresh or activate of its pseudo-channel, and tRRD from the activate
// before it, as an activate would.
#pragma once

#include <algorithm>
#include <array>

#include "model/memory/dram/bank_state.h"

namespace tahoma::model::dram {

class Rules {
 public:
  // `banks` belongs to the pseudo-channel and is shared with its queues.
  Rules(const Organisation& organisation, const Timing& timing, Banks& banks);

  Tick activate(std::uint32_t bank) const {
    return std::max(
        {banks_[bank].activate, groups_[group_of(bank)].activate, activate_, recent_[oldest_] + t_.faw});
  }
  Tick precharge(std::uint32_t bank) const { return std::max(banks_[bank].precharge, precharge_); }
  // Applies to all open banks of the mask at once.
  Tick precharge_all(std::uint64_t banks) const;
  Tick column(std::uint32_t bank, Direction d) const {
    return std::max(std::max(banks_[bank].column[d], groups_[group_of(bank)].column[d]),
                    std::max(stack_column_[d][stack_of(bank)], turned_[d]));
  }
  // The bank's own constraint, without the pins and the other banks.
  Tick column_of_bank(std::uint32_t bank, Direction d) const { return banks_[bank].column[d]; }
  Tick refresh_bank(std::uint32_t bank) const {
    return std::max({banks_[bank].activate, groups_[group_of(bank)].activate, activate_});
  }
  Tick refresh_all(std::uint64_t banks) const;

  // Prefetches everything except the banks into the host's caches, and touches nothing: of more bank groups
  // than four for each of four stack IDs, only the first ones.
  void fetch_state() const { fetch(this, groups_.data() + 16); }

  void activated(std::uint32_t bank, Tick at);
  void precharged(std::uint32_t bank, Tick at);
  // No bank permits a column command before this time.
  Tick column_of_any(Direction d) const {
    Tick first = stack_column_[d][0];
    for (std::uint32_t s = 1; s < stack_ids_; ++s) first = std::min(first, stack_column_[d][s]);
    return std::max(first, turned_[d]);
  }
  // Returns the least distance between column commands of one direction to two banks.
  Tick apart(std::uint32_t bank, std::uint32_t other, Direction d) const {
    if (group_of(bank) == group_of(other)) return t_.ccd_long;
    if (stack_of(bank) == stack_of(other)) return t_.ccd_short;
    return d == kReading ? t_.ccd_stack : t_.ccd_stack_write;
  }
  // Records the last command of a train; earlier trains must have been recorded in order.
  void accessed(std::uint32_t bank, Direction d, Tick at);
  void refreshed(std::uint32_t bank, Tick at, Tick takes);

  Tick last_column(std::uint32_t bank) const { return banks_[bank].last_column; }
  std::uint32_t group_of(std::uint32_t bank) const {
    return bank >> group_shift_;
  }  // counts through the stack IDs
  std::uint32_t stack_of(std::uint32_t bank) const { return bank >> stack_shift_; }
  // Return the banks of its group and of its stack ID.
  std::uint64_t group(std::uint32_t bank) const { return beside(bank, group_shift_); }
  std::uint64_t stack(std::uint32_t bank) const { return beside(bank, stack_shift_); }

 private:
  static std::uint64_t beside(std::uint32_t bank, int shift) {
    const std::uint64_t all = ~std::uint64_t{0};
    return (shift > 5 ? all : ~(all << (1U << shift))) << (bank >> shift << shift);
  }
  struct Group {  // of banks
    Tick activate = 0;
    std::array<Tick, 2> column{};
  };
  const Timing& t_;
  Banks& banks_;
  int group_shift_, stack_shift_;
  std::array<std::array<Tick, 4>, 2> stack_column_{};  // by stack ID; after column commands of the direction
  std::array<Tick, 2> turned_{};                       // after those of the other direction
  std::uint32_t stack_ids_;
  Tick activate_ = 0, precharge_ = 0;
  std::array<Tick, 4> recent_;  // activates
  std::uint32_t oldest_ = 0;
  std::array<Group, kMostBanks> groups_;
};

}  // namespace tahoma::model::dram
