// SPDX-License-Identifier: Apache-2.0
// Traces a schedule, independent of sizes and machines: for each transfer, where its data are, which arrivals
// it waits for, and how the receiver is notified.
//
// Nothing is folded before it has to leave: a combined arrival stays in a staging slot of the receiver, and
// the next transfer that carries the chunk folds the rank's own input and all slots at once. A copied arrival
// is in the receiver's output. A lent arrival is a token in a staging slot; the data stay in the sender's
// input.
//
// A semaphore of the receiver counts an arrival (16 for each, one per DMA engine) in one of three ways:
//   final     no transfer of the receiver reads it during the collective: one counter for all of these,
//             awaited together at the end
//   alone     several arrive in the same round and are awaited together, or no transfer can return the slot:
//             a counter for each round and piece
//   credited  the only one of its round, and a later transfer of the receiver returns the slot to the sender
//             (its read update): slots are reused
// The transfer that reads a combined arrival returns its slot if it is the only reader (it cannot know when
// another one has read it). For a copied arrival, which stays in place, it is any transfer after the wait.
// One transfer returns one slot. Arrivals of one sender with the same time from sending to return (in rounds)
// share a box, so its slots become free in the order in which they were taken.
#pragma once

#include <cstdint>
#include <vector>

#include "runtime/collective/schedule/schedule.h"

namespace tahoma::runtime::collective {

inline constexpr std::uint32_t kNone = ~0U;

enum class Arrival : std::uint8_t { kFinal, kAlone, kCredited, kLocal };

struct Hop {  // the transfer with the same index
  bool from_input = false, from_output = false;
  std::vector<std::uint32_t> staged;  // combined arrivals folded into it, in order
  std::vector<std::uint32_t> waits;   // arrivals awaited before it, one for each box and round
  std::uint32_t gives_back = kNone;   // the arrival whose slot it returns
  Arrival arrival = Arrival::kFinal;
  std::uint32_t box = kNone;  // of its own arrival
};

struct Box {
  std::uint32_t owner = 0;  // the receiver
  bool credited = false;
  std::uint32_t lifetime = 0;  // credited: rounds from sending to return
  // by round; credited: one per round, from one sender; otherwise all of one round
  std::vector<std::uint32_t> hops;
};

struct Itinerary {
  std::vector<Hop> hops;
  std::vector<std::vector<std::uint32_t>> of_rank;  // transfers of each rank, by round
  std::vector<Box> boxes;
};

Itinerary follow(const Schedule& schedule);

}  // namespace tahoma::runtime::collective
