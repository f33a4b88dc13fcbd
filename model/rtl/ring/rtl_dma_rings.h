// SPDX-License-Identifier: Apache-2.0
// The rings in SystemVerilog of a core with machine.chip.core.dma.model: rtl. Each ring that is used has one
// beside it, on a clock of its own: it takes the same shares and has to issue the same packets in the same
// order. What a packet takes of the engine and when a completion follows it are held against the law of a
// ring (ring_law.h), cycle by cycle. When the engine issues depends on memories and on its other rings, which
// the SystemVerilog does not see: there it is told.
//
// Not beside their rings: shares that descriptor_of() does not take, those of collective cores above all.
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
  // Throws E-CFG-020 for engines that are not as the SystemVerilog has them.
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
