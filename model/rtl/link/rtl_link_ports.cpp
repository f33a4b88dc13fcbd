// SPDX-License-Identifier: Apache-2.0
#include "model/rtl/link/rtl_link_ports.h"

#include "model/rtl/link/link_lock_step.h"

namespace tahoma::rtl {

model::PortWitnessMaker rtl_link_ports() {
  return [](const model::PortSite& site) {
    return std::make_unique<LinkLockStep>(site, verilated_link_port(site.path));
  };
}

}  // namespace tahoma::rtl
