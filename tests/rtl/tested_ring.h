// SPDX-License-Identifier: Apache-2.0
// The ring of dma_ring.sv built for tests: faults can be planted, and coverage is counted.
#pragma once

#include "model/rtl/ring/ring_pins.h"

namespace tahoma::tests {

enum class RingFault : std::uint8_t { kNone = 0, kDroppedCompletion = 1, kNeverWhole = 2 };

class TestedRing : public rtl::RingPins {
 public:
  virtual void write_coverage(const std::string& file) = 0;
};

std::unique_ptr<TestedRing> tested_ring(RingFault fault = RingFault::kNone);

}  // namespace tahoma::tests
