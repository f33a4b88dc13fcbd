// SPDX-License-Identifier: Apache-2.0
// The reference model of a SystemVerilog ring, derived from the laws of the DMA engines: how a share is
// divided (dma_share.h) and how long a packet occupies the engine (packet_cycles). It adds only the registers
// of a ring: a descriptor is taken in the cycle after its doorbell or in that of the last packet before it,
// and its first packet can be issued in the cycle after.
#pragma once

#include <deque>
#include <optional>

#include "model/engine/dma/dma_share.h"
#include "model/rtl/ring/ring_pins.h"

namespace tahoma::rtl {

// Returns the descriptor that the driver writes for a share at its beginning; nothing if the ring does not
// support it: transpositions, transfers of collective cores, and numbers beyond the fields of a descriptor.
std::optional<RingDescriptor> descriptor_of(const model::Share& share, const model::DmaParams& params);

RingPacket packet_of(const model::DmaPacket& packet);

class RingLaw {
 public:
  RingLaw(const model::DmaParams& params, std::int64_t latency) : params_(params), latency_(latency) {}

  bool room() const { return held_.size() < kRingDepth; }  // for another descriptor in the next cycle
  // Takes effect in the next cycle. The share's transfer must outlive it.
  void write(const model::Share& share);
  void doorbell(unsigned descriptors);
  void written();

  struct Decision {
    bool room = false;  // at its beginning
    std::optional<RingPacket> issue;
    std::optional<RingPost> post;
  };
  // Simulates the next cycle and returns what happens in it.
  Decision step(bool ready);

 private:
  struct Held {
    model::Share share;
    std::int64_t known = -1;  // reported by the doorbell of that cycle
  };
  struct Issued {
    std::optional<RingPost> post;
    std::int64_t leaves = -1;  // not written yet
  };
  RingPacket issue();

  const model::DmaParams& params_;
  std::int64_t latency_;
  std::int64_t cycle_ = 0, free_ = 0;
  std::deque<Held> held_;
  bool wrote_ = false;  // in this cycle
  std::optional<model::Share> current_;
  std::int64_t starts_ = 0;  // first packet of the current one, at the earliest
  std::deque<Issued> issued_;
};

}  // namespace tahoma::rtl
