// SPDX-License-Identifier: Apache-2.0
// The pins of a DMA engine's ring in SystemVerilog (dma_ring.sv or another implementation).
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "model/rtl/waves.h"

namespace tahoma::rtl {

inline constexpr unsigned kRingDepth = 64;    // descriptors
inline constexpr unsigned kRingPackets = 64;  // issued and not completed

// One engine's share of a transfer; the fields of dma_pkg.sv.
struct RingDescriptor {
  bool notify = false, notify_read = false, accumulate = false;
  std::uint8_t flag = 0, change = 0;
  std::uint32_t value = 0;
  std::uint8_t size = 0, joined = 1, sources = 1, pieces = 1, first_piece = 0;
  std::uint32_t run = 0, fit = 1, whole = 0, room = 1, piece = 0, first_from = 0, unit = 0, last_unit = 0;
};

struct RingPacket {
  std::uint32_t unit = 0, from = 0, elements = 0, runs = 1;
  bool begins = false, last = false;
  friend bool operator==(const RingPacket&, const RingPacket&) = default;
};

struct RingPost {
  std::uint8_t flag = 0, change = 0;
  std::uint32_t value = 0;
  friend bool operator==(const RingPost&, const RingPost&) = default;
};

struct RingInputs {
  bool rst = false;
  std::uint8_t cfg_element_overhead = 0, cfg_packet_overhead = 0, cfg_semaphore = 0, cfg_latency = 1;
  bool write = false, doorbell = false, ready = false, written = false;
  RingDescriptor descriptor;
  std::uint8_t rung = 0;  // descriptors since the last doorbell
};

struct RingOutputs {
  bool room = false, issue = false, post = false;
  RingPacket packet;
  RingPost posted;
};

class RingPins : public Waves {
 public:
  RingInputs in;
  RingOutputs out;
  virtual void settle() = 0;  // computes the outputs for the inputs of this cycle
  virtual void clock() = 0;   // ends the cycle
};

// Returns the pins of dma_ring.sv.
std::unique_ptr<RingPins> verilated_dma_ring(const std::string& name);

}  // namespace tahoma::rtl
