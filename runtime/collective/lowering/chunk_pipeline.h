// SPDX-License-Identifier: Apache-2.0
// A channel's pieces on their way through the rounds, one behind the other:
//
//   tick of (round, piece) = round + piece
//
// A queue issues in the order of ticks, within a tick the later rounds (the older pieces) first.
//
// Why no queue waits for ever. What a transfer waits for was issued in an earlier tick: an arrival of the
// same piece comes from an earlier round; a slot that is used again was given back in an earlier tick,
// because a box has as many slots as transfers begin while one is in use (runtime/collective/schedule/itinerary.h).
// Queues issue in order and transfers end by themselves, so of all that is not yet issued anywhere the one
// with the smallest tick can be issued.
#pragma once

#include <vector>

#include "runtime/collective/lowering/collective_channel.h"
#include "runtime/collective/lowering/slots.h"
#include "runtime/collective/schedule/itinerary.h"

namespace tahoma::runtime::collective {

// A hop is the number of a transfer of the schedule.
class Pipeline {
 public:
  explicit Pipeline(const Channel& channel);
  Pipeline(const Pipeline&) = delete;
  Pipeline& operator=(const Pipeline&) = delete;

  const Channel& channel() const { return channel_; }
  const Schedule& schedule() const { return *channel_.schedule; }
  const Problem& problem() const { return schedule().problem; }
  std::uint32_t pieces() const { return pieces_; }
  const Seat& seat(std::uint32_t rank) const { return channel_.seats[rank]; }

  const Transfer& transfer(std::uint32_t hop) const { return schedule().transfers[hop]; }
  const Seat& sender(std::uint32_t hop) const { return seat(transfer(hop).from); }
  const Seat& receiver(std::uint32_t hop) const { return seat(transfer(hop).to); }
  const Hop& hop(std::uint32_t hop) const { return itinerary_.hops[hop]; }
  const std::vector<std::uint32_t>& hops_of(std::uint32_t rank) const { return itinerary_.of_rank[rank]; }
  const std::vector<Box>& boxes() const { return itinerary_.boxes; }
  const BoxSlots& slots(std::uint32_t box) const { return slots_[box]; }

  // Elements that a hop moves of each of its chunks, which are alike or one; 0: it does not take place.
  std::uint64_t units(std::uint32_t hop, std::uint32_t piece) const;

  struct Turn {
    std::uint32_t hop, piece;
  };
  std::vector<Turn> turns(std::uint32_t rank) const;  // in the order in which its queue issues

 private:
  const Channel& channel_;
  Itinerary itinerary_;
  std::uint32_t pieces_;
  std::vector<BoxSlots> slots_;  // by box
};

}  // namespace tahoma::runtime::collective
