// SPDX-License-Identifier: Apache-2.0
#include "tests/rtl/tested_link.h"

#include <Vlink_port_tested.h>

#include "model/rtl/link/verilated_link.h"

namespace tahoma::tests {
namespace {

class CountingLink : public rtl::VerilatedLink<Vlink_port_tested, TestedLink> {
 public:
  explicit CountingLink(LinkFault fault) : VerilatedLink("tested") {
    block()->fault = static_cast<std::uint8_t>(fault);
  }
  void write_coverage(const std::string& file) override {
    block().context().coveragep()->write(file.c_str());
  }
};

}  // namespace

std::unique_ptr<TestedLink> tested_link(LinkFault fault) { return std::make_unique<CountingLink>(fault); }

}  // namespace tahoma::tests
