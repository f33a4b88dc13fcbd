// SPDX-License-Identifier: Apache-2.0
// Serialises the DMA engines' writes to the semaphores of a core. Increments of one semaphore keep a minimum
// distance and take effect in order of time. They are announced in advance, in any order; the time of one is
// final when no later announcement can precede it.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <tuple>
#include <vector>

#include "isa/core/instruction.h"
#include "model/sim/packet.h"

namespace tahoma::model {

class IncrementPort {
 public:
  // `lead` is the minimum time from an announcement to its increment.
  IncrementPort(base::Duration spacing, base::Duration lead)
      : spacing_(spacing), lead_(std::max(lead, base::Duration{1})) {}

  void announce(const sim::Notify& notify, base::Time when) {
    const Increment next{when, notify};
    announced_.insert(std::upper_bound(announced_.begin() + first_, announced_.end(), next), next);
  }
  // Returns the latest time for the next settle(); kNever if nothing is announced. Half of the lead remains
  // for the instructions that wait for the semaphore, and one call settles all increments of the other half.
  base::Time due() const { return none() ? base::kNever : next().when - base::Duration{lead_.fs / 2}; }
  // Calls raise(notify, when) for all increments whose time is final, in order of time.
  template <class Raise>
  void settle(base::Time now, Raise&& raise) {
    for (; !none() && next().when < now + lead_; ++first_) {
      base::Time& free = free_[next().notify.semaphore];
      const base::Time when = std::max(next().when, free);
      free = when + spacing_;
      raise(next().notify, when);
    }
    if (first_ < static_cast<std::ptrdiff_t>(announced_.size()) / 2) return;
    announced_.erase(announced_.begin(), announced_.begin() + first_);
    first_ = 0;
  }

 private:
  struct Increment {
    base::Time when;
    sim::Notify notify;
    // Increments of equal time are ordered independently of the order of announcement.
    friend bool operator<(const Increment& a, const Increment& b) {
      return std::tie(a.when, a.notify.semaphore, a.notify.change, a.notify.value) <
             std::tie(b.when, b.notify.semaphore, b.notify.change, b.notify.value);
    }
  };
  bool none() const { return first_ == static_cast<std::ptrdiff_t>(announced_.size()); }
  const Increment& next() const { return announced_[static_cast<std::size_t>(first_)]; }

  base::Duration spacing_, lead_;
  // The announcements are sorted from first_ on; most are appended at the end.
  std::vector<Increment> announced_;
  std::ptrdiff_t first_ = 0;
  std::array<base::Time, isa::kSemaphores> free_{};
};

}  // namespace tahoma::model
