// SPDX-License-Identifier: Apache-2.0
// The border between two stages of a pipeline: a physical core of a rank sends rows of the residual stream to
// the same physical core of the same rank of the next stage, point to point, microbatch by microbatch. Both
// sides do it on a collective queue, beside what their engines compute. What is sent has a place of its own
// for every microbatch, so nobody has to say that it may be written again, and each has a signal of its own,
// so that arrivals of two of them are never mixed up.
#pragma once

#include <vector>

#include "runtime/collective/result/collective_result.h"
#include "workloads/transformer/partition/replica.h"

namespace tahoma::workloads {

class Handover {
 public:
  static constexpr std::uint64_t kMost = 16;  // microbatches: signals that a core has left for them
  static constexpr isa::Queue kQueue = isa::Queue::kCc0;

  // Groups of equally many ranks, whose replicas that lie alike go together; they outlive this.
  Handover(Replica& from, Replica& to);

  // The receiver, before anything is sent: where the next microbatch of a physical core goes.
  void expect(std::size_t rank, std::size_t physical_core, const Matrix& matrix,
              const runtime::HbmView& rows);
  // The sender: the next microbatch, whose rows are complete at this mark of its queue.
  void send(std::size_t rank, std::size_t physical_core, const runtime::HbmView& rows, std::uint32_t mark);
  // The receiver: whoever uses these rows later waits until they are there.
  void receive(std::size_t rank, std::size_t physical_core);

  // When a microbatch was handed over, from the moment its rows were complete to when the receiver knew that
  // they are there; all physical cores of all ranks.
  struct Trip {
    std::size_t microbatch = 0;
    std::uint32_t from = 0, to = 0;  // cores
    runtime::RankTimes times;
  };
  std::vector<Trip> trips(const runtime::collective::Stopwatch& stopwatch) const;
  std::uint64_t bytes() const;  // of a microbatch, all physical cores of all ranks of a replica
  // As one result, on the machine `machine`.
  runtime::CollectiveResult result(const model::MachineParams& machine,
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
