// SPDX-License-Identifier: Apache-2.0
// One of the 16 DMA engines of a NeuronCore: in-order rings served round-robin at packet granularity. One
// activation issues one packet: its reads go to the memories, and the next packet follows when the engine has
// moved its bytes, within the limits on packets in flight (dma_flights.h). When the memories have answered,
// the packet is written, in order. Packets for another chip enter the fabric in order and wait for its
// credit. A read of another chip's memory is an ordinary access with a late answer. An accumulation into such
// a memory reads the old value there, adds here and sends the sum.
//
// The engine is a plain object inside the SystemC module DmaRings, which provides its time and socket. An
// UltraServer has 8,192 engines, and the data that one activation touches determines the speed of the whole
// simulation, so the 16 engines share one event.
//
// Not modelled: descriptor fetch.
#pragma once

#include <algorithm>

#include "model/engine/dma/dma_costs.h"
#include "model/engine/dma/dma_flights.h"
#include "model/engine/dma/dma_outgoing.h"
#include "model/engine/dma/ring_shares.h"
#include "model/engine/dma/ring_witness.h"

namespace tahoma::model {

class DmaEngine {
 public:
  // The engine stores in `due` when it acts next: kNever while it has nothing to do or waits for an
  // answer or for credit. It sets its bit in `blocked` while it waits for credit.
  DmaEngine(unsigned index, std::uint32_t core, const DmaParams& params, SharePool& shares,
            FlightPool& flights, DmaSurroundings& around, base::Time& due, std::uint32_t& blocked)
      : due_(due),
        index_(index),
        core_(core),
        params_(params),
        around_(around),
        flights_(params, flights),
        shares_(shares),
        costs_(index, params),
        outgoing_(index, core, params, around, blocked) {}

  void push(const Share& share);
  void acknowledge(sim::Payload& payload, base::Time ready) {
    outgoing_.enqueue(payload, sim::info_of(payload), ready);
    update_due();
  }
  void credited();                      // the fabric has taken the offered packet
  void answered(sim::Payload& access);  // a late answer of a memory

  // Call when due. Packets that become due up to the horizon are issued now, with their own times; the engine
  // already knows of everything that could precede them (DmaParams::look_ahead).
  void act(base::Time horizon);
  void watch(RingWitness& witness) { witness_ = &witness; }

  bool idle() const { return shares_.empty() && flights_.empty() && outgoing_.empty(); }
  const base::DmaMeasurement& counted() const { return counted_; }  // this engine's share

 private:
  void step(base::Time t);
  void schedule();
  void resume();
  bool looks_ahead() const { return !shares_.any_far() && witness_ == nullptr; }

  // The stages of a packet.
  void issue(Share& share, base::Time t);
  void settle();
  void hand_on(DmaFlight& flight);
  void end(DmaFlight& flight);
  void read(DmaFlight& flight, base::Duration ahead);
  void access(tlm::tlm_command command, DmaFlight& flight, std::size_t operand, base::Duration ahead);
  void record_access(sim::Payload& access, const sim::PacketInfo& info);
  void check(const sim::Payload& answer, const sim::PacketInfo& info) const;
  void have_read(const DmaFlight& flight);
  void complete(Transfer& transfer);
  void report_flight(const DmaFlight& flight);

  void update_due() { due_ = std::min(step_at_, outgoing_.inject_at()); }

  base::Time step_at_ = base::kNever;
  base::Time& due_;
  unsigned index_;
  std::uint32_t core_;
  base::Time free_at_{0};
  base::Time unblocked_{0};  // the fabric has last taken a packet that kept the engine from issuing another
  base::Time written_{0}, read_{0};  // writes, including semaphores, are in order, and so are reads
  const DmaParams& params_;
  DmaSurroundings& around_;
  RingWitness* witness_ = nullptr;
  DmaFlights flights_;
  RingShares shares_;
  DmaCosts costs_;
  DmaOutgoing outgoing_;
  base::DmaMeasurement counted_;
};

}  // namespace tahoma::model
