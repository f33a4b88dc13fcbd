// SPDX-License-Identifier: Apache-2.0
// A schedule followed through, still without sizes or machines: for each transfer where its data lie, which
// arrivals it has to wait for, and how the receiver finds out about it.
//
// Nothing is folded before it has to leave: a combined arrival stays in a staging slot of the receiver, and
// the next transfer that carries the chunk folds the rank's own input and all slots at once. A copied arrival
// lies in the receiver's output.
//
// An arrival is counted in one of three ways, by a semaphore of the receiver (16 for each, one per DMA
// engine):
//   final     nobody at the receiver reads it during the collective: one counter for all of these, awaited
//             together at the end
//   alone     several arrive in the same round and are awaited together, or nobody can give the slot back: a
//             counter for each round and piece
//   credited  the only one of its round, and a later transfer of the receiver gives the slot back to the
//             sender (its read update): slots go round
// Who gives back: the transfer that reads a combined arrival, if there is only one (that another one has read
// is nothing that this one could tell); for a copied arrival, which lies where it stays, any transfer behind
// the wait. One transfer gives back one slot. Arrivals of one sender with the same time from sending to
// giving back (in rounds) share a box, so that its slots come free in the order in which they were taken.
#pragma once

#include <cstdint>
#include <vector>

#include "runtime/collective/schedule/schedule.h"

namespace tahoma::runtime::collective {

inline constexpr std::uint32_t kNone = ~0U;

enum class Arrival : std::uint8_t { kFinal, kAlone, kCredited, kLocal };

struct Hop {  // transfer of the same index
  bool from_input = false, from_output = false;
  std::vector<std::uint32_t> staged;  // combined arrivals folded into it, in order
  std::vector<std::uint32_t> waits;   // arrivals awaited in front of it, one for each box and round
  std::uint32_t gives_back = kNone;   // the arrival whose slot it gives back
  Arrival arrival = Arrival::kFinal;
  std::uint32_t box = kNone;  // of its own arrival
};

struct Box {
  std::uint32_t owner = 0;  // the receiver
  bool credited = false;
  std::uint32_t lifetime = 0;       // credited: rounds from sending to giving back
  std::vector<std::uint32_t> hops;  // by round; credited: one a round, from one sender; else all of one round
};

struct Itinerary {
  std::vector<Hop> hops;
  std::vector<std::vector<std::uint32_t>> of_rank;  // what each rank runs, by round
  std::vector<Box> boxes;
};

Itinerary follow(const Schedule& schedule);

}  // namespace tahoma::runtime::collective
