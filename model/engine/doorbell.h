// SPDX-License-Identifier: Apache-2.0
// Between the sequencers and the DMA engines of a core: what a doorbell hands over, and what one engine gets
// of it.
#pragma once

#include <cstdint>
#include <systemc>

#include "isa/instruction.h"
#include "model/base/units.h"
#include "model/sim/packet.h"

namespace tahoma::model {

// A dma_copy whose addresses are resolved.
struct TransferRequest {
  const isa::Descriptor* descriptor = nullptr;
  std::uint64_t dst = 0, src = 0;  // global byte addresses of the HBM sides
  unsigned ring = 0;
  std::optional<sim::Notify> notify;  // once per DMA engine
  base::Time rung{0};                 // end of the doorbell instruction
};

// Wants to know that a ring has room again.
struct RoomWatcher {
  virtual void room() = 0;

 protected:
  ~RoomWatcher() = default;
};

struct DoorbellIf : virtual sc_core::sc_interface {
  virtual bool has_room(unsigned ring) const = 0;
  virtual void ring(const TransferRequest& request) = 0;  // requires has_room
  virtual void call_when_room(unsigned ring, RoomWatcher* who) = 0;
};

}  // namespace tahoma::model
