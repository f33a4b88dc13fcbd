// SPDX-License-Identifier: Apache-2.0
// A DMA engine's outgoing packets for other chips, up to the fabric. They enter it in order and wait for its
// credit.
#pragma once

#include "model/engine/dma/dma_flights.h"
#include "model/engine/dma/dma_surroundings.h"
#include "model/engine/dma/dma_timing.h"
#include "model/sim/fifo.h"

namespace tahoma::model {

class DmaOutgoing {
 public:
  // The engine's bit in `blocked` is set while the engine waits for credit.
  DmaOutgoing(unsigned engine, std::uint32_t core, const DmaParams& params, DmaSurroundings& around,
              std::uint32_t& blocked)
      : engine_(engine), core_(core), params_(params), around_(around), blocked_(blocked) {}

  // Packets that are still being read have reserved their slots.
  bool full() const { return queue_.size() + unsent_ >= params_.remote_window; }
  void reserve() { ++unsent_; }
  void send(const DmaFlight& flight);  // a packet with a reserved slot
  void enqueue(sim::Payload& payload, sim::PacketInfo& info, base::Time ready);

  // Offers the oldest packet to the fabric. Both return true if the engine was blocked and may go on.
  bool inject();
  bool credited();  // the fabric has taken the offered packet

  void block(base::Time since);
  bool blocked() const { return (blocked_ >> engine_ & 1) != 0; }
  base::Time blocked_since() const { return blocked_since_; }
  bool empty() const { return queue_.empty(); }
  base::Time inject_at() const { return inject_at_; }  // kNever: not before it is credited

 private:
  struct Outgoing {
    sim::Payload* payload = nullptr;
    base::Time ready{0};
  };
  bool sent();

  base::Time inject_at_ = base::kNever;
  unsigned engine_;
  std::uint32_t core_;
  const DmaParams& params_;
  DmaSurroundings& around_;
  std::uint32_t& blocked_;
  bool awaiting_credit_ = false;
  sim::Fifo<Outgoing> queue_;
  std::uint64_t unsent_ = 0;  // issued for another chip but not yet in the queue
  base::Time blocked_since_{0};
};

}  // namespace tahoma::model
