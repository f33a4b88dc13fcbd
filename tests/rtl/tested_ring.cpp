// SPDX-License-Identifier: Apache-2.0
#include "tests/rtl/tested_ring.h"

#include <Vdma_ring_tested.h>

#include <cstdlib>

#include "model/rtl/verilated_ring.h"

namespace tahoma::tests {
namespace {

// Writes what it has exercised to the file that $TAHOMA_RTL_COVERAGE names, if it does.
class TestedRing : public rtl::VerilatedRing<Vdma_ring_tested> {
 public:
  explicit TestedRing(RingFault fault) : VerilatedRing("ring") { ring().fault = static_cast<std::uint8_t>(fault); }
  ~TestedRing() override {
    if (const char* file = std::getenv("TAHOMA_RTL_COVERAGE")) context().coveragep()->write(file);
  }
};

}  // namespace

std::unique_ptr<rtl::RingPins> tested_ring(RingFault fault) { return std::make_unique<TestedRing>(fault); }

}  // namespace tahoma::tests
