// SPDX-License-Identifier: Apache-2.0
// A *channel* is one collective queue of every rank, with its slice of each rank's data and the
// schedule that it runs on them.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "runtime/builder/kernel.h"
#include "runtime/collective/schedule/schedule.h"

namespace tahoma::runtime::collective {

// The kernel of a core while its programs are being built.
struct CoreKernel {
  std::uint32_t core = 0;
  Kernel* kernel = nullptr;
  HbmView memory;                 // an argument: any tensor of the core
  std::uint64_t address = 0;      // its global address
  std::uint8_t own = isa::kNone;  // own_core()
  // Kernels of different lanes may be written at the same time: they share nothing that is written.
  std::size_t lane = 0;
  // Signals allocated so far, and how far they have been raised. A collective allocates them from `next` on;
  // one that follows a barrier may start at 0 again.
  struct Counter {
    Signal signal;
    std::uint32_t raised = 0;
  };
  std::vector<Counter> counters;
  std::size_t next = 0;
};

// The location of a rank's chunks: the block of the first one, a single row of elements, with the following
// ones `pitch` elements apart. Whole rows of a dense matrix are such a row, too. Chunks that are transferred
// one by one may be anywhere: `starts`, in elements from the start of the block.
struct Strip {
  HbmView block;
  std::int64_t pitch = 0;
  std::uint64_t places = 0;   // number of chunks that fit
  std::uint64_t address = 0;  // the global address of the block's first element
  std::vector<std::uint64_t> starts{};

  std::uint64_t start(std::uint64_t place) const {
    return starts.empty() ? place * static_cast<std::uint64_t>(pitch) : starts[place];
  }
};

struct Seat {  // one rank in one channel
  CoreKernel* at = nullptr;
  isa::Queue queue = isa::Queue::kCc0;
  Strip input, output;
};

struct Channel {
  std::shared_ptr<const Schedule> schedule;
  std::vector<Seat> seats;           // by rank
  std::vector<std::uint64_t> units;  // elements of each chunk; a single entry applies to all
  std::uint64_t piece = 1;           // elements of a piece
  isa::AluOp op = isa::AluOp::kAdd;
  std::vector<std::uint64_t> firsts{};  // the channel's first element in each chunk; empty: 0

  std::uint64_t first_of(std::uint32_t chunk) const { return firsts.empty() ? 0 : firsts[chunk]; }
  // Dtype of the inputs and of data between ranks. Outputs may have another dtype, to which a sum is
  // rounded when it is settled.
  isa::DType dtype() const { return seats.front().input.block.dtype; }
  bool alike() const { return units.size() == 1; }

  std::uint64_t most_units() const;
  std::uint32_t pieces() const;
};

// Allocates staging memory in the stack of a rank's seat, for `elements` elements of the channel's dtype,
// aligned to an HBM access; returns the global address.
using Allocate = std::function<std::uint64_t(std::uint32_t rank, std::uint64_t elements)>;

}  // namespace tahoma::runtime::collective
