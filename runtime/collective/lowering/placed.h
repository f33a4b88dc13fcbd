// SPDX-License-Identifier: Apache-2.0
// What a collective is asked to do, how its data are cut, and where they come to lie.
//
// A rank's vector is cut twice: into chunks (the schedule's), and each chunk into the slices of the channels.
// A channel's part of a rank's vector is a matrix, one row per chunk. Slices and pieces are whole accesses of
// HBM.
#pragma once

#include <string>
#include <vector>

#include "runtime/collective/algorithm/algorithm.h"
#include "runtime/collective/lowering/stopwatch.h"
#include "runtime/collective/schedule/group.h"
#include "runtime/run/machine.h"

namespace tahoma::runtime::collective {

struct Spec {
  Problem problem;
  const AlgorithmRow* algorithm = nullptr;
  isa::DType dtype = isa::DType::kFp32;
  isa::AluOp op = isa::AluOp::kAdd;
  std::uint64_t elements = 1;  // of the whole vector; rounded up to equal chunks, or
  // elements of a chunk, of which the vector's last ones may have fewer or none; 0: rounded up. Where the
  // operation says how many chunks there are.
  std::uint64_t chunk_elements = 0;
  // Elements of each chunk, where the operation says how many there are; empty: all alike.
  std::vector<std::uint64_t> counts;
  std::uint32_t channels = 0;     // of a rank; 0: as many as are worth it
  std::uint64_t piece_bytes = 0;  // of one chunk of one channel; 0: chosen
  std::uint32_t signals = 0;      // semaphores that a core has for it; 0: all that collectives may have

  std::string name() const;  // "all_reduce-1048576": what it does, with so many bytes
};

// One channel's part of the vector.
struct PlacedChannel {
  std::uint64_t first = 0, columns = 0;  // of every chunk; of unequal chunks: see slice_of()
  std::vector<std::uint64_t> units;      // columns of each chunk; one entry: of all
  std::uint64_t piece = 1;               // columns of a piece
  std::vector<Tensor> input, output;     // by rank: [chunks that it begins (ends) with, columns]
};

struct Placed {
  Spec spec;
  std::vector<ChannelPlan> together;  // of all groups that share links, which closed forms are about
  std::vector<ChannelPlan> plan;      // this group's part of it
  std::uint32_t chunks = 1;
  std::uint64_t chunk_elements = 0;  // of the largest chunk
  std::vector<PlacedChannel> channels;
  std::uint32_t pieces = 1;                         // of the channel that has most
  std::uint32_t roundings = 1;                      // of a sum to the dtype, on the longest way
  std::vector<std::vector<Stopwatch::Span>> spans;  // by rank and channel: when it ran

  // Elements [first, first + count) of a chunk that a channel carries, in columns 0 .. count - 1 of its row.
  struct Slice {
    std::uint64_t first = 0, count = 0;
  };
  Slice slice_of(std::uint32_t channel, std::uint32_t chunk) const;
};

// Elements of one access of HBM.
std::uint64_t access_elements(isa::DType dtype);

// Collective queues of a rank.
std::uint32_t queues_of(const Group& group);

// Cut into chunks, channels and pieces; tensors and spans are still to come.
Placed cut_up(const Spec& spec, const Group& group);

}  // namespace tahoma::runtime::collective
