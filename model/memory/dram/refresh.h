// SPDX-License-Identifier: Apache-2.0
// Which banks of a pseudo-channel a refresh has claimed, and when it claims the next ones.
#pragma once

#include <array>

#include "model/memory/dram/bank_state.h"

namespace tahoma::model::dram {

// A refresh that nobody disturbs leaves no trace in what is permitted so long after it was due: the last
// write has been restored, the banks of all stack IDs are closed and refreshed in turn, and may be activated.
Tick refresh_settles(const Organisation& organisation, const Timing& timing, Refresh kind);

class RefreshSchedule {
 public:
  RefreshSchedule(const Organisation& organisation, const Timing& timing, Refresh kind);

  Tick due() const { return due_; }
  // Not before this is one of these banks claimed.
  Tick due(std::uint64_t banks) const { return (next_ & banks) != 0 ? due_ : due_after_; }
  // At due(): claims the next banks.
  void claim();
  // Passes over the refreshes that are due until then, if none is under way.
  struct Skipped {
    std::uint64_t banks = 0, commands = 0;
  };
  Skipped skip(Tick until);
  // Claimed banks take no activate and no column command until they have been refreshed.
  std::uint64_t claimed() const { return claimed_; }
  void refreshed(std::uint64_t banks, Tick at);

  // All but the intervals, into the caches.
  void fetch_state() const { fetch(this, last_.data()); }

  // What one refresh command takes: a stack ID or a bank.
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
  Tick refi_, takes_;
  std::uint32_t parts_;  // of a tREFI
  std::int64_t turn_ = 0;
  Tick due_ = kNoTick, due_after_ = kNoTick;
  std::uint64_t next_ = 0;  // the banks that are due then
  std::uint64_t claimed_ = 0;
  struct Interval {
    Tick claimed = 0, ready = 0;
  };
  std::array<Interval, kMostBanks> last_;
};

}  // namespace tahoma::model::dram
