// SPDX-License-Identifier: Apache-2.0
// The specification of a collective, how its data are split, and where they are stored.
//
// A rank's vector is split twice: into the chunks of the schedule, and each chunk into the slices of the
// channels. A channel's part of a rank's vector is a matrix with one row per chunk. Slices and pieces
// are whole HBM accesses.
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
  std::uint64_t elements = 1;  // elements of the whole vector, rounded up to equal chunks
  // If the operation fixes the number of chunks: elements of a chunk, of which the vector's last chunks may
  // have fewer or none; 0: the vector is rounded up to equal chunks.
  std::uint64_t chunk_elements = 0;
  // Elements of each chunk, if the operation fixes the number of chunks; empty: all equal.
  std::vector<std::uint64_t> counts;
  std::uint32_t channels = 0;     // per rank; 0: chosen automatically
  std::uint64_t piece_bytes = 0;  // of one chunk of one channel; 0: chosen automatically
  std::uint32_t signals = 0;      // semaphores available per core; 0: all that are reserved for collectives

  std::string name() const;  // "all_reduce-1048576": the operation and its bytes
};

// One channel's part of the vector.
struct PlannedChannel {
  std::uint64_t first = 0, columns = 0;  // of every chunk; for unequal chunks see slice_of()
  std::vector<std::uint64_t> units;      // columns of each chunk; a single entry applies to all
  std::uint64_t piece = 1;               // columns of a piece
  std::vector<Tensor> input, output;     // by rank: [chunks at the start (end), columns]
};

struct PlannedCollective {
  Spec spec;
  std::vector<ChannelPlan> together;  // of all groups that share links; input of the closed forms
  std::vector<ChannelPlan> plan;      // this group's part of `together`
  std::uint32_t chunks = 1;
  std::uint64_t chunk_elements = 0;  // of the largest chunk
  std::vector<PlannedChannel> channels;
  std::uint32_t pieces = 1;                         // of the channel with the most
  std::uint32_t roundings = 1;                      // of a sum to the dtype, on the longest path
  std::vector<std::vector<Stopwatch::Span>> spans;  // by rank and channel: when it ran

  // Elements [first, first + count) of a chunk that a channel carries, in columns 0 ..
  // count - 1 of the chunk's row.
  struct Slice {
    std::uint64_t first = 0, count = 0;
  };
  Slice slice_of(std::uint32_t channel, std::uint32_t chunk) const;
};

// Counts the elements per HBM access.
std::uint64_t access_elements(isa::DType dtype);

// Number of collective queues of a rank.
std::uint32_t queues_of(const Group& group);

// Splits the data into chunks, channels and pieces; tensors and spans are not yet set.
PlannedCollective cut_up(const Spec& spec, const Group& group);

}  // namespace tahoma::runtime::collective
