// SPDX-License-Identifier: Apache-2.0
// From a schedule to programs. A *channel* is one collective queue of every rank; it runs a schedule on its
// own slice of the data, cut into pieces that go through the rounds one behind the other:
//
//   tick of (round, piece) = round + piece
//
// A queue issues in the order of ticks, within a tick the later rounds (the older pieces) first.
//
// Why no queue waits for ever. What a transfer waits for was issued in an earlier tick: an arrival of the
// same piece comes from an earlier round; a slot that is used again was given back in an earlier tick,
// because a box has as many slots as transfers begin while one is in use (runtime/collective/itinerary.h).
// Queues issue in order and transfers end by themselves, so of all that is not yet issued anywhere the one
// with the smallest tick can be issued.
//
// Memory. Staging lies at the receiver: a slot holds the chunks of one arrival of one piece. Sums are never
// written to memory in between: a transfer folds the own input and all staged arrivals (n reads) straight
// into the next rank's staging (one write); the last fold goes to the output.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "runtime/collective/schedule.h"
#include "runtime/kernel.h"

namespace tahoma::runtime::collective {

// A core's kernel while its programs are being built.
struct CoreKernel {
  std::uint32_t core = 0;
  Kernel* kernel = nullptr;
  HbmView memory;                 // an argument: some tensor of the core
  std::uint64_t address = 0;      // the global address behind it
  std::uint8_t own = isa::kNone;  // own_core()
  // Signals taken so far, with what they have been raised by. A collective takes them from `next` on; one
  // that follows behind a barrier may begin at 0 again.
  struct Counter {
    Signal signal;
    std::uint32_t raised = 0;
  };
  std::vector<Counter> counters;
  std::size_t next = 0;
};

// Where a rank's chunks lie: the block of its first one, the next ones `pitch` elements apart. A block of one
// row is cut into pieces by columns, one of several rows by rows; the unit is a column or a row.
struct Strip {
  HbmView block;
  std::int64_t pitch = 0;
  std::uint64_t places = 0;   // chunks that there is room for
  std::uint64_t address = 0;  // the global address of the block's first element
};

struct Seat {  // of one rank in one channel
  CoreKernel* at = nullptr;
  isa::Queue queue = isa::Queue::kCc0;
  Strip input, output;
};

struct Channel {
  std::shared_ptr<const Schedule> schedule;
  std::vector<Seat> seats;           // by rank
  std::vector<std::uint64_t> units;  // of each chunk; one entry: of all
  std::uint64_t piece = 1;           // units of a piece
  isa::AluOp op = isa::AluOp::kAdd;

  std::uint64_t most_units() const;
  std::uint32_t pieces() const;
};

// Memory for staging in the stack of `core`: the global address of so many elements.
using Allocate = std::function<std::uint64_t(std::uint32_t core, isa::DType dtype, std::uint64_t elements)>;

// Semaphores that a channel needs on the core that needs most, of kSignals that a core has for collectives.
std::uint32_t semaphores_needed(const Schedule& schedule, std::uint32_t pieces, bool uneven);
// Beside those of the scheduler (engines, and 16 slots of each collective queue) and of barriers.
inline constexpr std::uint32_t kBarrierSignals = 24;
inline constexpr std::uint32_t kSignals = isa::kSemaphores - isa::kQueueCount - 2 * 16 - kBarrierSignals;

// Appends the channel to the kernels of its seats. Throws UserError E-COL-010 when a core has not enough
// semaphores left, with what would help.
void lower(const Channel& channel, const Allocate& allocate);

}  // namespace tahoma::runtime::collective
