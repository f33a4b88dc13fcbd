// SPDX-License-Identifier: Apache-2.0
#include "tests/rtl/tested_link.h"

#include <Vlink_port_tested.h>

#include <cstdlib>

#include "model/rtl/verilated_link.h"

namespace tahoma::tests {
namespace {

// Adds what it has exercised to the file that $TAHOMA_RTL_COVERAGE names, if it does.
class TestedLink : public rtl::VerilatedLink<Vlink_port_tested> {
 public:
  explicit TestedLink(LinkFault fault) : VerilatedLink("port") { port().fault = static_cast<std::uint8_t>(fault); }
  ~TestedLink() override {
    if (const char* file = std::getenv("TAHOMA_RTL_COVERAGE")) context().coveragep()->write(file);
  }
};

}  // namespace

std::unique_ptr<rtl::LinkPins> tested_link(LinkFault fault) { return std::make_unique<TestedLink>(fault); }

}  // namespace tahoma::tests
