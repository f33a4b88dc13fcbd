// SPDX-License-Identifier: Apache-2.0
// How DMA engines write the semaphores of a core: increments of one semaphore keep a distance, and take their
// turns in the order of time. They are announced before they happen, in any order, so that the turn of one is
// settled when none is announced any more that could come before it.
#pragma once

#include <algorithm>
#include <array>
#include <functional>
#include <queue>
#include <tuple>
#include <vector>

#include "isa/instruction.h"
#include "model/sim/packet.h"

namespace tahoma::model {

class IncrementPort {
 public:
  // `lead`: the least time from an announcement to its increment.
  IncrementPort(base::Duration spacing, base::Duration lead)
      : spacing_(spacing), lead_(std::max(lead, base::Duration{1})) {}

  void announce(const sim::Notify& notify, base::Time when) { announced_.push({when, notify}); }
  // When settle() has to be called at the latest; kNever if nothing is announced. Half of the lead stays for
  // whoever waits for the semaphore, and one call settles what comes in the other half.
  base::Time due() const {
    return announced_.empty() ? base::kNever : announced_.top().when - base::Duration{lead_.fs / 2};
  }
  // Calls raise(notify, when) for all increments whose time is now certain, in the order of time.
  template <class Raise>
  void settle(base::Time now, Raise&& raise) {
    while (!announced_.empty() && announced_.top().when < now + lead_) {
      const Increment next = announced_.top();
      announced_.pop();
      base::Time& free = free_[next.notify.semaphore];
      const base::Time when = std::max(next.when, free);
      free = when + spacing_;
      raise(next.notify, when);
    }
  }

 private:
  struct Increment {
    base::Time when;
    sim::Notify notify;
    // Those of one time in an order that does not depend on who was announced first.
    friend bool operator>(const Increment& a, const Increment& b) {
      return std::tie(a.when, a.notify.semaphore, a.notify.change, a.notify.value) >
             std::tie(b.when, b.notify.semaphore, b.notify.change, b.notify.value);
    }
  };
  base::Duration spacing_, lead_;
  std::priority_queue<Increment, std::vector<Increment>, std::greater<>> announced_;
  std::array<base::Time, isa::kSemaphores> free_{};
};

}  // namespace tahoma::model
