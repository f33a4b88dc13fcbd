// SPDX-License-Identifier: Apache-2.0
// How DMA engines write the semaphores of a core: increments of one semaphore keep a distance. They are
// announced before they happen and not in the order of time, so that one announced late takes the first gap
// at or after its time; those already announced stay where they are.
#pragma once

#include <cstdint>
#include <vector>

#include "model/base/units.h"

namespace tahoma::model {

class IncrementPort {
 public:
  explicit IncrementPort(base::Duration spacing) : spacing_(spacing) {}

  // The time, `when` or later, of an increment that keeps its distance from all others of its semaphore.
  // `now`: increments well before it no longer matter, because none is announced for the past.
  base::Time reserve(std::uint8_t semaphore, base::Time when, base::Time now) {
    std::erase_if(taken_, [&](const Increment& i) { return i.at + spacing_ <= now; });
    auto place = taken_.begin();
    for (; place != taken_.end() && place->at < when + spacing_; ++place)
      if (place->semaphore == semaphore && place->at + spacing_ > when) when = place->at + spacing_;
    taken_.insert(place, {when, semaphore});
    return when;
  }

 private:
  struct Increment {
    base::Time at;
    std::uint8_t semaphore;
  };
  base::Duration spacing_;
  std::vector<Increment> taken_;  // in the order of time
};

}  // namespace tahoma::model
