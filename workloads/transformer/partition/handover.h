// SPDX-License-Identifier: Apache-2.0
// The boundary between two stages of a pipeline. A physical core of a rank sends rows of the residual stream
// to the same physical core of the same rank of the next stage, point to point, microbatch by microbatch.
// Both sides use a collective queue, in parallel with their engines. Every microbatch has its own
// destination, so no buffer has to be returned, and its own semaphore, so that two arrivals are never
// confused.
#pragma once

#include <vector>

#include "runtime/collective/cost/group_estimates.h"
#include "runtime/collective/result/collective_result.h"
#include "runtime/collective/result/message_result.h"
#include "workloads/transformer/partition/replica.h"

namespace tahoma::workloads {

class Handover {
 public:
  static constexpr std::uint64_t kMost = 16;  // microbatches: semaphores that a core has left for them
  static constexpr isa::Queue kQueue = isa::Queue::kCc0;

  // Groups with equally many ranks, whose replicas with the same geometry are paired. They outlive this
  // object.
  Handover(Replica& from, Replica& to);

  // The receiver, before anything is sent: declares the destination of a physical core's next microbatch.
  void expect(std::size_t rank, std::size_t physical_core, const Matrix& matrix,
              const runtime::HbmView& rows);
  // The sender: sends the next microbatch, whose rows are complete at this mark of its queue.
  void send(std::size_t rank, std::size_t physical_core, const runtime::HbmView& rows, std::uint32_t mark);
  // The receiver: later users of these rows wait for their arrival.
  void receive(std::size_t rank, std::size_t physical_core);

  // The time of the hand-over of a microbatch, from the completion of its rows to the receiver's
  // notification, for all physical cores of all ranks.
  struct Trip {
    std::size_t microbatch = 0;
    std::uint32_t from = 0, to = 0;  // cores
    std::uint64_t bytes = 0;
    runtime::RankTimes times;
  };
  std::vector<Trip> trips(const runtime::collective::Stopwatch& stopwatch) const;
  // The same, with their bytes. `what`: the beginning of their names.
  std::vector<runtime::MessageResult> messages(const runtime::collective::Stopwatch& stopwatch,
                                               const std::string& what) const;
  std::uint64_t bytes() const;  // of a microbatch, all physical cores of all ranks of a replica
  // The hand-over as one result, on the machine `machine`.
  runtime::CollectiveResult result(runtime::collective::Estimates& estimates,
                                   const runtime::collective::Stopwatch& stopwatch,
                                   std::size_t microbatch) const;

 private:
  struct Parcel {
    runtime::collective::End there;
    runtime::Signal signal;
    std::uint32_t sent = 0, landed = 0;  // marks of both sides
  };
  struct Way {                    // of a physical core of a rank
    std::vector<Parcel> parcels;  // by microbatch
    std::size_t sent = 0, received = 0;
  };
  Way& way(std::size_t rank, std::size_t physical_core) {
    return ways_[rank * from_.physical_cores() + physical_core];
  }

  Replica &from_, &to_;
  std::vector<Way> ways_;  // by rank and physical core
};

}  // namespace tahoma::workloads
