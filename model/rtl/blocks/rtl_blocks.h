// SPDX-License-Identifier: Apache-2.0
// The blocks in SystemVerilog that a netlist can contain: what model/system sees of this module, which need
// not be built.
#pragma once

#include <memory>
#include <string>

#include "model/engine/dma/ring_witness.h"
#include "model/engine/params/engine_params.h"
#include "model/engine/pipeline/tensor_array.h"
#include "model/link/port_witness.h"

namespace tahoma::rtl {

// machine.chip.core.tensor.model: rtl. `path` is the engine's. Throws E-RTL-001 if no array of this size is
// built.
std::unique_ptr<model::TensorArray> tensor_array(const std::string& path, const model::TensorParams& params);
// machine.chip.core.dma.model: rtl. Throws E-CFG-020 for engines that differ from the SystemVerilog.
std::unique_ptr<model::RingWitness> dma_rings(const std::string& path, const model::DmaParams& params);
// machine.link.port.model: rtl. Makes ports of link_port.sv that run in lock step.
model::PortWitnessMaker link_ports();

}  // namespace tahoma::rtl
