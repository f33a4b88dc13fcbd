// SPDX-License-Identifier: Apache-2.0
#include "model/rtl/rtl_link_ports.h"

#include "model/rtl/link_lockstep.h"

namespace tahoma::model {

PortWitnessMaker rtl_link_ports() {
  return [](const PortSite& site) {
    return std::make_unique<LinkLockstep>(site, verilated_link_port(site.path));
  };
}

}  // namespace tahoma::model
