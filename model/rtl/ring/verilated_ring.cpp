// SPDX-License-Identifier: Apache-2.0
#include "model/rtl/ring/verilated_ring.h"

#include <Vdma_ring.h>

namespace tahoma::rtl {

std::unique_ptr<RingPins> verilated_dma_ring(const std::string& name) {
  return std::make_unique<VerilatedRing<Vdma_ring>>(name);
}

}  // namespace tahoma::rtl
