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
#include <array>
#include <vector>

#include "model/base/activity.h"
#include "model/engine/dma/dma_flights.h"
#include "model/engine/dma/dma_timing.h"
#include "model/engine/dma/ring_witness.h"

namespace tahoma::model {

// Services that an engine requires from its environment.
struct DmaSurroundings {
  // Allocates a payload for an access or for the fabric; release() frees it.
  virtual sim::Payload* packet(tlm::tlm_command command, std::uint64_t address, std::uint64_t bytes) = 0;
  // Starts one access to a memory in `ahead`. If it returns false, answered() will be called.
  virtual bool access(sim::Payload& payload, base::Duration ahead) = 0;
  virtual bool offer(sim::Payload& payload) = 0;  // false: credited() will be called
  virtual void visible(const sim::Notify& notify, unsigned engine, base::Time when) = 0;
  virtual void first_packet(Transfer& transfer) = 0;  // values are applied here
  virtual void share_issued(Transfer& transfer) = 0;
  virtual void share_ended(Transfer& transfer) = 0;
  // Reports that a packet was issued, that one has been or will have been read at `until`, and that one
  // has completed.
  virtual void issued(base::Time at) = 0;
  virtual void read(base::Time until) = 0;
  virtual void moved(Transfer& transfer, const base::PacketActivity& packet) = 0;

 protected:
  ~DmaSurroundings() = default;
};

inline constexpr unsigned kMostRings = 16;

class DmaEngine {
 public:
  // The engine stores in `due` when it next wants to act: kNever while it has nothing to do or waits for an
  // answer or for credit. It sets its bit in `blocked` while it waits for credit.
  DmaEngine(unsigned index, std::uint32_t core, const DmaParams& params, SharePool& shares,
            FlightPool& flights, DmaSurroundings& around, base::Time& due, std::uint32_t& blocked)
      : due_(due),
        blocked_(blocked),
        index_(index),
        core_(core),
        params_(params),
        around_(around),
        flights_(params, flights),
        shares_(shares) {}

  void push(const Share& share);
  void acknowledge(sim::Payload& payload, base::Time ready) {
    enqueue(payload, sim::info_of(payload), ready);
  }
  void credited();                      // the fabric has taken the offered packet
  void answered(sim::Payload& access);  // a late answer of a memory

  // Call when due. Packets that become due up to the horizon are issued now, with their own times; the engine
  // already knows of everything that could precede them (DmaParams::look_ahead).
  void act(base::Time horizon);
  void watch(RingWitness& witness) { witness_ = &witness; }

  bool idle() const { return in_use_ == 0 && flights_.empty() && outgoing_.empty(); }
  const base::DmaMeasurement& counted() const { return counted_; }  // this engine's share

 private:
  struct Ring {  // a list in shares_
    std::uint32_t head = SharePool::kNone, tail = SharePool::kNone;
    base::Time available{0};  // the head
  };
  struct Outgoing {
    sim::Payload* payload = nullptr;
    base::Time ready{0};
  };

  void step(base::Time t);
  void schedule();
  bool blocked_on_link() const { return (blocked_ >> index_ & 1) != 0; }
  bool looks_ahead() const { return far_shares_ == 0 && witness_ == nullptr; }
  Share* next_share(base::Time t, unsigned& ring);
  void pop_share(unsigned ring);

  // The stages of a packet (dma_move.cpp).
  void issue(Share& share, base::Time t);
  void settle();
  void hand_on(DmaFlight& flight);
  void end(DmaFlight& flight);
  void read(DmaFlight& flight, base::Duration ahead);
  void access(tlm::tlm_command command, DmaFlight& flight, std::size_t operand, base::Duration ahead);
  void note(sim::Payload& access, const sim::PacketInfo& info);
  void check(const sim::Payload& answer, const sim::PacketInfo& info) const;
  void have_read(const DmaFlight& flight);
  void complete(const Transfer& transfer);
  void tell(const DmaFlight& flight);
  base::Duration cost_of(const Transfer& transfer, const DmaPacket& packet);
  base::Duration cost_of(const PacketShape& shape);
  base::Duration drain_of(std::uint64_t bytes);
  base::Duration first_read(const Transfer& transfer);

  // Path into the fabric (dma_outgoing.cpp).
  bool fabric_full();
  void send(const DmaFlight& flight);
  void enqueue(sim::Payload& payload, sim::PacketInfo& info, base::Time ready);
  void inject();
  void sent();

  void due_at(base::Time step_at, base::Time inject_at) {
    step_at_ = step_at;
    inject_at_ = inject_at;
    due_ = std::min(step_at, inject_at);
  }

  base::Time step_at_ = base::kNever, inject_at_ = base::kNever;
  base::Time& due_;
  std::uint32_t& blocked_;
  unsigned index_;
  std::uint32_t core_;
  std::uint32_t in_use_ = 0;      // bit per ring that holds a share
  std::uint32_t far_shares_ = 0;  // of transfers that touch another chip
  unsigned last_ring_ = 0;
  bool awaiting_credit_ = false;
  bool cold_ = true;  // HBM has not been read yet
  base::Time free_at_{0};
  base::Time written_{0}, read_{0};  // writes, including semaphores, are in order, and so are reads
  const DmaParams& params_;
  DmaSurroundings& around_;
  RingWitness* witness_ = nullptr;
  DmaFlights flights_;
  SharePool& shares_;
  PacketShape last_shape_;
  base::Duration last_cost_{0};
  std::uint64_t last_bytes_ = 0;
  base::Duration last_drain_{0};
  base::DmaMeasurement counted_;
  std::array<Ring, kMostRings> rings_;
  sim::Fifo<Outgoing> outgoing_;
  std::uint64_t unsent_ = 0;  // issued for another chip but not yet in the outgoing queue
  base::Time blocked_since_{0};
};

}  // namespace tahoma::model
