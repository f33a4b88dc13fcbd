// SPDX-License-Identifier: Apache-2.0
// The port through which DMA engines write the semaphores of a core: one increment at a time. Increments are
// announced before they happen and not in the order of time, so that one announced late takes the first
// gap at or after its time; those already announced stay where they are.
#pragma once

#include <algorithm>
#include <vector>

#include "model/base/units.h"

namespace tahoma::model {

class IncrementPort {
 public:
  explicit IncrementPort(base::Duration spacing) : spacing_(spacing) {}

  // The time, `when` or later, of an increment that keeps its distance from all others. `now`: increments
  // before it no longer matter, because none is announced for the past.
  base::Time reserve(base::Time when, base::Time now) {
    std::erase_if(taken_, [&](base::Time t) { return t + spacing_ <= now; });
    auto next = taken_.begin();
    for (; next != taken_.end() && *next < when + spacing_; ++next)
      if (*next + spacing_ > when) when = *next + spacing_;
    taken_.insert(next, when);
    return when;
  }

 private:
  base::Duration spacing_;
  std::vector<base::Time> taken_;  // ascending
};

}  // namespace tahoma::model
