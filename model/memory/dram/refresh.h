// SPDX-License-Identifier: Apache-2.0
// Tracks which banks of a pseudo-channel a refresh has claimed, and when it claims the next ones.
#pragma once

#include <array>

#include "model/memory/dram/bank_state.h"

namespace tahoma::model::dram {

// Time after which an undisturbed refresh no longer affects what is permitted: the last write has been
// restored, and the banks of all stack IDs have been closed and refreshed in turn and may be activated.
Tick refresh_settles(const Organisation& organisation, const Timing& timing, Refresh kind);

class RefreshSchedule {
 public:
  RefreshSchedule(const Organisation& organisation, const Timing& timing, Refresh kind);

  Tick due() const { return due_; }
  // Returns the earliest time at which one of these banks is claimed.
  Tick due(std::uint64_t banks) const { return (next_ & banks) != 0 ? due_ : due_after_; }
  // Claims the next banks; call at due().
  void claim();
  // Skips the refreshes that are due until then, if none is in progress.
  struct Skipped {
    std::uint64_t banks = 0, commands = 0;
  };
  Skipped skip(Tick until);
  // Claimed banks accept no activate and no column command until they have been refreshed.
  std::uint64_t claimed() const { return claimed_; }
  void refreshed(std::uint64_t banks, Tick at);

  // Prefetches everything except the intervals into the host's caches.
  void fetch_state() const { fetch(this, last_.data()); }

  // Scope of one refresh command: a stack ID or a bank.
  bool by_stack() const { return kind_ == Refresh::kAllBank; }
  std::uint64_t unit(std::uint32_t bank) const;
  Tick takes() const { return takes_; }
  // The last interval in which a bank was claimed or being refreshed.
  Tick claimed_at(std::uint32_t bank) const { return last_[bank].claimed; }
  Tick ready_at(std::uint32_t bank) const { return last_[bank].ready; }

 private:
  std::uint64_t banks_of_turn() const;
  void turn(std::int64_t by);
  Refresh kind_;
  std::uint32_t banks_, per_stack_;
  Tick refi_, phase_, takes_;
  std::uint32_t parts_;  // of a tREFI
  std::int64_t turn_ = 0;
  Tick due_ = kNoTick, due_after_ = kNoTick;
  std::uint64_t next_ = 0;  // the banks that are due at due_
  std::uint64_t claimed_ = 0;
  struct Interval {
    Tick claimed = 0, ready = 0;
  };
  std::array<Interval, kMostBanks> last_;
};

}  // namespace tahoma::model::dram
