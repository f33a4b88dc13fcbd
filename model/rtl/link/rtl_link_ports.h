// SPDX-License-Identifier: Apache-2.0
// The SystemVerilog ports of a machine with machine.link.port.model: rtl.
#pragma once

#include "model/link/port_witness.h"

namespace tahoma::rtl {

// Returns a maker of ports of link_port.sv that run in lock step.
model::PortWitnessMaker rtl_link_ports();

}  // namespace tahoma::rtl
