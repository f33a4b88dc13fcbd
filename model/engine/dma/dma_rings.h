// SPDX-License-Identifier: Apache-2.0
// The doorbell side of a core's 16 DMA engines: accepts a resolved transfer, distributes its shares to the
// engines after the start-up latency, moves the values when the first packet starts, and limits the
// transfers in a ring.
#pragma once

#include <tlm_utils/simple_initiator_socket.h>

#include <array>
#include <memory>
#include <systemc>
#include <vector>

#include "isa/semantics/semantics.h"
#include "model/check/race_checker.h"
#include "model/engine/core_memories.h"
#include "model/engine/dma/active_time.h"
#include "model/engine/dma/dma_engine.h"
#include "model/engine/ports/increment_port.h"
#include "model/sim/backdoor.h"
#include "model/sim/meter.h"
#include "model/sim/peer_memory.h"
#include "model/sim/semaphores.h"
#include "model/sim/wake.h"

namespace tahoma::model {

class DmaRings : public sc_core::sc_module, public DoorbellIf, private DmaSurroundings {
 public:
  tlm_utils::simple_initiator_socket<DmaRings> network{"network"};
  sc_core::sc_port<sim::SemaphoreIf> semaphores{"semaphores"};
  sc_core::sc_port<sim::BackdoorIf> hbm{"hbm"};
  sc_core::sc_port<sim::ScratchpadIf> sbuf{"sbuf"}, psum{"psum"};
  sc_core::sc_port<sim::RetireIf> retire{"retire"};

  struct Place {
    std::uint32_t core, chip;
    bool functional;
    check::RaceChecker* checker = nullptr;  // null: no checks
    sim::PeerMemoryIf* peers = nullptr;     // HBM of other processes; null: there is none, or no values
  };
  DmaRings(sc_core::sc_module_name name, const Place& place, const DmaParams& params, sim::PayloadPool& pool,
           sim::Meter& meter);

  // Before the run, in functional mode: the cores for which this one stands. They must outlive the run.
  void stand_for(const Members& members) { members_ = members; }
  // Attaches a witness that observes the rings from now on.
  void watch(RingWitness& witness);

  bool idle() const;
  base::DmaMeasurement measure() const;

  bool has_room(unsigned ring) const override;
  void ring(const TransferRequest& request) override;
  void call_when_room(unsigned ring, RoomWatcher* who) override;

 private:
  sim::Payload* packet(tlm::tlm_command command, std::uint64_t address, std::uint64_t bytes) override;
  bool access(sim::Payload& payload, base::Duration ahead) override;
  bool offer(sim::Payload& payload) override;
  void visible(const sim::Notify& notify, unsigned engine, base::Time when) override;
  void first_packet(Transfer& transfer) override;
  void share_issued(Transfer& transfer) override;
  void share_ended(Transfer& transfer) override;
  void issued(base::Time at) override;
  void read(base::Time until) override;
  void moved(Transfer& transfer, const base::PacketActivity& packet) override;
  void tell_held(unsigned ring) const;

  void apply(Transfer& transfer, const CoreMemories& memories);
  void tell_result(const TransferRequest& request);
  base::Time generated(const TransferRequest& request);
  Share share_for(unsigned n, Transfer* transfer, base::Time described) const;
  void start(base::Time horizon);
  void wake();
  void fetch_first() const;
  void step();
  void schedule();
  base::Time next_act() const;
  void raise_increments();
  tlm::tlm_sync_enum on_answer(sim::Payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay);

  Place place_;
  Members members_;
  const DmaParams& params_;
  sim::PayloadPool& pool_;
  sim::Meter& meter_;
  sim::Wake wake_ = sim::Wake::calling<&DmaRings::wake, &DmaRings::fetch_first>(this);
  bool acting_ = false;
  RingWitness* witness_ = nullptr;
  // due time of each engine, contiguous because every activation reads them
  std::array<base::Time, isa::kDmaEngines> due_;
  std::uint32_t blocked_ = 0;  // one bit per engine that waits for the fabric's credit
  SharePool shares_;
  FlightPool flights_;
  std::vector<DmaEngine> engines_;
  std::vector<std::unique_ptr<Transfer>> transfers_;  // all transfers ever allocated, recycled through free_
  std::vector<Transfer*> free_;
  std::vector<std::uint64_t> held_;  // transfers per ring
  std::vector<std::vector<RoomWatcher*>> room_watchers_;
  // Transfers that are not distributed to the engines before their start-up ends, by time.
  struct Starting {
    base::Time when, described;
    Transfer* transfer;
  };
  std::vector<Starting> starting_;
  std::array<base::Time, kMostRings> dealt_{};  // last transfer of each ring
  IncrementPort increments_;
  std::vector<sim::Posting> raised_;            // semaphore updates that are posted together
  std::array<base::Time, 2> generator_free_{};  // of the hardware generators of queues sync and scalar
  std::uint64_t in_flight_ = 0;
  base::DmaMeasurement counted_;
  ActiveTime active_;  // of any of the engines
};

}  // namespace tahoma::model
