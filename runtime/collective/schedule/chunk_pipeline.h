// SPDX-License-Identifier: Apache-2.0
// The pieces of a channel pass through the rounds as a pipeline:
//
//   tick of (round, piece) = round + piece
//
// A queue issues in the order of ticks; within a tick, later rounds (older pieces) come first.
//
// This order is free of deadlock. Everything that a transfer waits for was issued in an earlier tick: an
// arrival of the same piece comes from an earlier round, and a reused slot was returned in an earlier tick,
// because a box has as many slots as transfers start while one is in use
// (runtime/collective/schedule/itinerary.h). Queues issue in order and transfers end by themselves, so among
// all transfers not yet issued, the one with the smallest tick can be issued.
#pragma once

#include <vector>

#include "runtime/collective/schedule/collective_channel.h"
#include "runtime/collective/schedule/itinerary.h"
#include "runtime/collective/schedule/slots.h"

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

  // Elements that a hop moves of each of its chunks, which are equal in size or a single one; 0: the
  // hop does not take place.
  std::uint64_t units(std::uint32_t hop, std::uint32_t piece) const;

  struct Turn {
    std::uint32_t hop, piece;
  };
  std::vector<Turn> turns(std::uint32_t rank) const;  // in the order in which the rank's queue issues them

 private:
  const Channel& channel_;
  Itinerary itinerary_;
  std::uint32_t pieces_;
  std::vector<BoxSlots> slots_;  // by box
};

}  // namespace tahoma::runtime::collective
