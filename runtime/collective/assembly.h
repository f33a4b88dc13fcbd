// SPDX-License-Identifier: Apache-2.0
// Collectives of one or more groups on a machine: one kernel per core, tensors in each core's own stack, one
// collective behind the other with a barrier in between.
//
// A rank's vector is cut twice: into chunks (the schedule's), and each chunk into the slices of the channels.
// A channel's part of a rank's vector is a matrix, one row per chunk, in the stack of the core whose queue
// runs the channel. Channels go to the queues such that neighbouring channels use different stacks and every
// core has about the same to move.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "runtime/collective/algorithm.h"
#include "runtime/collective/group.h"
#include "runtime/collective/lowering.h"
#include "runtime/collective/stopwatch.h"
#include "runtime/machine.h"

namespace tahoma::runtime::collective {

struct Spec {
  Problem problem;
  const AlgorithmRow* algorithm = nullptr;
  isa::DType dtype = isa::DType::kFp32;
  isa::AluOp op = isa::AluOp::kAdd;
  std::uint64_t elements = 1;         // of the whole vector; rounded up to equal chunks
  std::vector<std::uint64_t> counts;  // all_to_all: elements of each chunk; empty: all alike
  std::uint32_t channels = 0;         // of a rank; 0: as many as are worth it
  std::uint64_t piece_bytes = 0;      // of one chunk of one channel; 0: chosen
};

// Where one channel's part of the vector lies.
struct PlacedChannel {
  std::uint64_t first = 0, columns = 0;  // of every chunk; of unequal chunks: see slice_of()
  std::vector<Tensor> input, output;     // by rank: [chunks that it begins (ends) with, columns]
};

struct Placed {
  Spec spec;
  std::vector<ChannelPlan> plan;
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

class Assembly {
 public:
  Assembly(Machine& machine, std::vector<Group> groups);
  ~Assembly();

  const std::vector<Group>& groups() const { return groups_; }
  // Behind what the group has been given so far. Throws what the lowering throws.
  Placed add(std::size_t group, const Spec& spec);
  void barrier();  // of all groups: nothing that follows starts before all of it has ended
  void load(Stopwatch& stopwatch);

 private:
  struct CoreState;
  CoreState& core(std::uint32_t number);
  struct Place {
    std::uint32_t core;
    isa::Queue queue;
  };
  std::vector<Place> places(const Group& group, std::uint32_t rank, const std::vector<double>& shares) const;
  std::uint32_t queues_of(const Group& group) const;
  Seat seat(const Place& place, const Problem& problem, std::uint32_t rank, PlacedChannel& channel,
            std::uint32_t chunks, isa::DType dtype);
  Strip strip(const CoreKernel& at, const Tensor& tensor) const;
  Allocate allocator();
  Stopwatch::Span run(const Seat& seat, bool begins);

  Machine& machine_;
  std::vector<Group> groups_;
  std::map<std::uint32_t, std::unique_ptr<CoreState>> cores_;
};

}  // namespace tahoma::runtime::collective
