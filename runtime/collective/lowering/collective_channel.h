// SPDX-License-Identifier: Apache-2.0
// A *channel*: one collective queue of every rank, with its slice of each rank's data and the schedule that
// it runs on them.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "runtime/builder/kernel.h"
#include "runtime/collective/schedule/schedule.h"

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

// Where a rank's chunks lie: the block of its first one, a single row of elements, and the next ones `pitch`
// elements apart. Whole rows of a dense matrix are such a row, too. Chunks that travel one by one may lie
// anywhere: `starts`, in elements from the block's first.
struct Strip {
  HbmView block;
  std::int64_t pitch = 0;
  std::uint64_t places = 0;   // chunks that there is room for
  std::uint64_t address = 0;  // the global address of the block's first element
  std::vector<std::uint64_t> starts{};

  std::uint64_t start(std::uint64_t place) const {
    return starts.empty() ? place * static_cast<std::uint64_t>(pitch) : starts[place];
  }
};

struct Seat {  // of one rank in one channel
  CoreKernel* at = nullptr;
  isa::Queue queue = isa::Queue::kCc0;
  Strip input, output;
};

struct Channel {
  std::shared_ptr<const Schedule> schedule;
  std::vector<Seat> seats;           // by rank
  std::vector<std::uint64_t> units;  // elements of each chunk; one entry: of all
  std::uint64_t piece = 1;           // elements of a piece
  isa::AluOp op = isa::AluOp::kAdd;
  std::vector<std::uint64_t> firsts{};  // the channel's first element of each chunk in its place; empty: 0

  std::uint64_t first_of(std::uint32_t chunk) const { return firsts.empty() ? 0 : firsts[chunk]; }
  // Of the inputs and of what travels between ranks; outputs may have another, to which a sum is rounded when
  // it is settled.
  isa::DType dtype() const { return seats.front().input.block.dtype; }
  bool alike() const { return units.size() == 1; }

  std::uint64_t most_units() const;
  std::uint32_t pieces() const;
};

// Memory for staging in the stack of a rank's seat: the global address of so many elements of the channel's
// dtype, at the beginning of an access of HBM.
using Allocate = std::function<std::uint64_t(std::uint32_t rank, std::uint64_t elements)>;

}  // namespace tahoma::runtime::collective
