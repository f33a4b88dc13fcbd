// SPDX-License-Identifier: Apache-2.0
// The semaphores of a channel: which of them a transfer raises, and the value they reach when an awaited
// event has happened. A receiver counts arrivals, box by box, and all final arrivals together; a sender
// counts the slots that were returned to it (runtime/collective/schedule/itinerary.h).
//
// Semaphores that earlier collectives have raised keep their values; all participants count from there.
//
// A core's semaphores are numbered in the order in which its own program first waits for them. So ranks whose
// programs are equal but for their peers have equal numbers, and model/system/folding finds that they are.
#pragma once

#include <optional>
#include <vector>

#include "runtime/collective/schedule/chunk_pipeline.h"

namespace tahoma::runtime::collective {

// Semaphores of a core for collectives: all except those of the scheduler (engines, and 16 slots of each
// collective queue) and of barriers.
inline constexpr std::uint32_t kBarrierSignals = 48;
inline constexpr std::uint32_t kSignals = isa::kSemaphores - isa::kQueueCount - 2UL * 16 - kBarrierSignals;

// The number that a channel needs on the core that needs most.
std::uint32_t semaphores_needed(const Schedule& schedule, const Itinerary& itinerary, std::uint32_t pieces,
                                bool uneven);

class Semaphores {
 public:
  // Allocates them on the cores of the channel's seats. Throws UserError E-COL-010 with a suggestion if a
  // core does not have enough left.
  explicit Semaphores(const Pipeline& pipeline);

  struct Level {
    Signal signal;
    std::uint32_t value = 0;
  };
  // At the receiver, this level means that the arrival is complete, with all that share its semaphore.
  std::optional<Level> arrived(std::uint32_t arrival, std::uint32_t piece) const;
  // At the sender, this level means that the slot of a hop was returned as often as it was used before.
  std::optional<Level> slot_free(std::uint32_t hop, std::uint32_t piece) const;
  // At the receiver, this level means that all final arrivals are complete.
  std::optional<Level> complete(std::uint32_t rank) const;

  // A hop raises these at its receiver when it has landed, and at the sender whose slot it has freed.
  Delivery landed(std::uint32_t hop, std::uint32_t piece) const;
  std::optional<Delivery> given_back(std::uint32_t hop, std::uint32_t piece) const;

 private:
  struct Row {  // a row of a core's counters
    std::size_t first = 0;
    std::vector<std::uint32_t> base;  // initial value of each; empty: not allocated
  };
  struct OfBox {
    Row arrived, given_back;
  };
  struct Finals {
    std::size_t counter = 0;
    std::uint32_t total = 0;
  };

  std::size_t take(CoreKernel& at, std::size_t count) const;
  Row take_row(CoreKernel& at, std::size_t count) const;
  void allocate();
  void allocate_arrived(std::uint32_t box);
  void allocate_given_back(std::uint32_t box);
  void count_box(std::uint32_t box);
  void count_finals();
  Level level(const Seat& at, const Row& row, std::uint32_t counter, std::uint32_t times) const;
  Delivery delivery(const Seat& from, const Seat& to, std::size_t counter) const;

  const Pipeline& pipeline_;
  std::vector<OfBox> boxes_;
  std::vector<Finals> finals_;  // by rank
};

}  // namespace tahoma::runtime::collective
