// SPDX-License-Identifier: Apache-2.0
#include "model/rtl/link/verilated_link.h"

#include <Vlink_port.h>

namespace tahoma::rtl {

std::unique_ptr<LinkPins> verilated_link_port(const std::string& name) {
  return std::make_unique<VerilatedLink<Vlink_port>>(name);
}

}  // namespace tahoma::rtl
