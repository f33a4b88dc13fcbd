// SPDX-License-Identifier: Apache-2.0
// Which semaphore and slot of its box an arrival takes: pure counting, the same for sender and receiver.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "runtime/collective/schedule/itinerary.h"

namespace tahoma::runtime::collective {

// Whether who gives a slot of the box back moves the very chunks that arrived in it: then, whatever the sizes
// of the chunks, one of the two takes place exactly when the other does.
bool given_back_alike(const Itinerary& itinerary, const Schedule& schedule, const Box& box);

class BoxSlots {
 public:
  // Of a hop and piece; where chunks differ in size, the short ones have fewer pieces.
  using TakesPlace = std::function<bool(std::uint32_t hop, std::uint32_t piece)>;

  // `reuse` false: every arrival has a slot of its own.
  BoxSlots(const Box& box, const Schedule& schedule, std::uint32_t pieces, bool reuse,
           const TakesPlace& takes_place);

  // Arrivals that take place are numbered in the order in which they are sent; number i takes slot i modulo
  // slots().
  std::uint32_t number(std::uint32_t hop, std::uint32_t piece) const;
  std::uint32_t slots() const { return slots_; }
  bool reused() const { return slots_ < arrivals_; }
  // Semaphores: one a slot; of an uncredited box one a piece, which all its arrivals share.
  std::uint32_t counters() const { return counters_; }
  std::uint32_t counter(std::uint32_t hop, std::uint32_t piece) const {
    return credited_ ? number(hop, piece) % slots_ : piece;
  }

 private:
  const Box& box_;
  bool credited_;
  std::uint32_t pieces_, arrivals_ = 0, slots_ = 0, counters_ = 0;
  std::vector<std::uint32_t> number_;  // by place of the hop in the box, then piece
  std::size_t place_of(std::uint32_t hop) const;
};

}  // namespace tahoma::runtime::collective
