// SPDX-License-Identifier: Apache-2.0
// The ports in SystemVerilog of a machine with machine.link.port.model: rtl.
#pragma once

#include "model/link/port_witness.h"

namespace tahoma::rtl {

// Makes the port of link_port.sv, in lock-step.
model::PortWitnessMaker rtl_link_ports();

}  // namespace tahoma::rtl
