// SPDX-License-Identifier: Apache-2.0
#include "tests/rtl/tested_ring.h"

#include <Vdma_ring_tested.h>

#include "model/rtl/ring/verilated_ring.h"

namespace tahoma::tests {
namespace {

class CountingRing : public rtl::VerilatedRing<Vdma_ring_tested, TestedRing> {
 public:
  explicit CountingRing(RingFault fault) : VerilatedRing("tested") {
    block()->fault = static_cast<std::uint8_t>(fault);
  }
  void write_coverage(const std::string& file) override {
    block().context().coveragep()->write(file.c_str());
  }
};

}  // namespace

std::unique_ptr<TestedRing> tested_ring(RingFault fault) { return std::make_unique<CountingRing>(fault); }

}  // namespace tahoma::tests
