// SPDX-License-Identifier: Apache-2.0
// The semaphore and slot of its box that an arrival uses: a count that sender and receiver compute alike.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "runtime/collective/schedule/itinerary.h"

namespace tahoma::runtime::collective {

// True if the transfer that returns a slot of the box moves exactly the chunks that arrived in it: then, for
// any chunk sizes, one of the two takes place exactly when the other does.
bool given_back_alike(const Itinerary& itinerary, const Schedule& schedule, const Box& box);

class BoxSlots {
 public:
  // Whether a hop takes place for a piece; with chunks of different sizes, short chunks have fewer pieces.
  using TakesPlace = std::function<bool(std::uint32_t hop, std::uint32_t piece)>;

  // If `reuse` is false, every arrival has a slot of its own.
  BoxSlots(const Box& box, const Schedule& schedule, std::uint32_t pieces, bool reuse,
           const TakesPlace& takes_place);

  // Arrivals that take place are numbered in the order in which they are sent; number i uses
  // slot i modulo slots().
  std::uint32_t number(std::uint32_t hop, std::uint32_t piece) const;
  std::uint32_t slots() const { return slots_; }
  bool reused() const { return slots_ < arrivals_; }
  // Counts the semaphores: one per slot; for an uncredited box one per piece, shared by all its arrivals.
  std::uint32_t counters() const { return counters_; }
  std::uint32_t counter(std::uint32_t hop, std::uint32_t piece) const {
    return credited_ ? number(hop, piece) % slots_ : piece;
  }

 private:
  const Box& box_;
  bool credited_;
  std::uint32_t pieces_, arrivals_ = 0, slots_ = 0, counters_ = 0;
  std::vector<std::uint32_t> number_;  // by position of the hop in the box, then piece
  std::size_t place_of(std::uint32_t hop) const;
};

}  // namespace tahoma::runtime::collective
