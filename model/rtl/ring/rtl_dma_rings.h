// SPDX-License-Identifier: Apache-2.0
// The rings in SystemVerilog of a core with machine.chip.core.dma.model: rtl. Each ring in use has a
// SystemVerilog counterpart with its own clock. It receives the same shares and must issue the same packets
// in the same order. A packet's engine time and the time of its completion are compared with the law of a
// ring (ring_law.h), cycle by cycle. The engine's issue times depend on memories and on its other rings,
// which are outside the SystemVerilog, so the counterpart receives them as inputs.
//
// Not covered: shares that descriptor_of() does not support, mainly those of collective cores.
#pragma once

#include <array>
#include <deque>
#include <map>
#include <memory>
#include <string>

#include "model/engine/dma/ring_witness.h"
#include "model/rtl/ring/ring_lock_step.h"

namespace tahoma::rtl {

class RtlDmaRings final : public model::RingWitness {
 public:
  // Throws E-CFG-020 for engines that differ from the SystemVerilog.
  RtlDmaRings(std::string path, const model::DmaParams& params);

  void pushed(unsigned engine, unsigned ring, const model::Share& share, base::Time at) override;
  void issued(unsigned engine, unsigned ring, const model::DmaPacket& packet, base::Time at) override;

 private:
  struct Ring {
    Ring(const std::string& path, const model::DmaParams& params);
    std::unique_ptr<RingPins> pins;
    RingLockStep lock_step;
    std::deque<bool> followed;  // of the shares in it
  };

  void show_waves(Ring& ring, base::Time at) const;

  const std::string path_;
  const model::DmaParams& params_;
  std::map<std::pair<unsigned, unsigned>, Ring> rings_;  // by engine and ring
};

}  // namespace tahoma::rtl
