// SPDX-License-Identifier: Apache-2.0
// The time of a collective from its schedule: a discrete-event simulation of its transfers over the queues,
// DMA engines, links and stacks of an otherwise idle machine. Queues issue in the order of the lowering
// (runtime/collective/schedule/chunk_pipeline.h) and wait for the same arrivals and slots. All times are
// those of declared parameters.
//
// It is coarser than the simulation of components: the engines of a queue move packets in step, a link serves
// packets in the order of their arrival without limits of buffers, and stacks are flat. Over 153 collectives
// of all algorithms on 8 cores, 16 and 64 chips, from 64 KiB to 16 MiB, the error is below 6 % on average
// (tests/system/collective/collective_cost_test.cpp). Where every rank sends to every other one at once,
// packets wait in the buffers of routers for others: there the estimate is up to 44 % too short
// (`mesh_one_step`).
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <vector>

#include "model/system/machine/fabric_ways.h"
#include "model/system/machine/idle_machine.h"
#include "model/system/machine/transfer_law.h"
#include "runtime/collective/cost/time_queue.h"
#include "runtime/collective/schedule/chunk_pipeline.h"

namespace tahoma::runtime::collective {

// One channel of the simulation. The elements of its chunks are bytes.
struct SimulatedChannel {
  Channel channel;                   // without seats
  std::vector<std::uint32_t> cores;  // of the machine, by rank
  bool second_queue = false;
};

class TransferSimulation {
 public:
  // `chips` has the chip of each rank. All arguments must outlive the object.
  TransferSimulation(const model::MachineParams& machine, const model::FabricWays& ways,
                     const std::vector<std::uint32_t>& chips, const std::vector<SimulatedChannel>& channels);
  ~TransferSimulation();

  base::Duration time();

 private:
  struct ChannelState;     // a channel
  struct QueueState;       // a queue of one rank, with its engines
  struct PendingTransfer;  // a transfer that its engines have to move
  struct PacketTrain;      // a batch on its way
  struct Completion {      // a transfer or a returned slot
    base::Time when = base::kNever;
    std::vector<std::uint32_t> queues;  // that wait for it
  };
  enum class What : std::uint8_t { kQueue, kEngines, kTrain };
  struct Event {
    What what;
    std::uint32_t of;
  };

  void at(base::Time when, What what, std::uint32_t of) { events_.add(when, {what, of}); }
  void advance(std::uint32_t queue);
  bool waits_over(std::uint32_t queue, std::uint32_t hop, std::uint32_t piece);
  bool wait_for(std::uint32_t queue, std::span<Completion* const> all);
  bool wait_for(std::uint32_t queue, Completion& one) {
    Completion* const all = &one;
    return wait_for(queue, {&all, 1});
  }
  void issue(std::uint32_t queue, std::uint32_t hop, std::uint32_t piece);
  void push(std::uint32_t queue, const model::Move& move, std::uint32_t hop, std::uint32_t piece);
  void move_batch(std::uint32_t queue);
  base::Time read_batch(QueueState& queue, const model::PacketBatch& batch, const model::Move& move,
                        base::Time now, base::Duration cost, bool here);
  void carry(std::uint32_t train);
  std::uint32_t train_of(PacketTrain train);
  void write_here(QueueState& queue, const PendingTransfer& next, const model::PacketBatch& batch,
                  base::Time handed_on);
  void give_back(std::uint32_t queue, const PendingTransfer& share, base::Time read);
  void over(Completion& completion, base::Time when);

  const model::MachineParams& machine_;
  const model::FabricWays& ways_;
  const std::vector<std::uint32_t>& chips_;
  model::TransferLaw law_;
  model::IdleMachine idle_;
  std::vector<std::unique_ptr<ChannelState>> channels_;
  std::vector<QueueState> queues_;
  std::vector<PacketTrain> trains_;
  std::vector<std::uint32_t> free_trains_;
  TimeQueue<Event> events_;
  std::vector<Completion*> awaited_;  // of one wait; keeps its capacity
  base::Duration wake_, wait_;        // of a sequencer: from the change of a semaphore, and its instruction
  base::Duration read_overlap_;
  base::Time now_{0};
};

}  // namespace tahoma::runtime::collective
