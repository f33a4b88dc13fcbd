// SPDX-License-Identifier: Apache-2.0
#include "model/rtl/blocks/rtl_blocks.h"

#include "model/rtl/array/tensor_gates.h"
#include "model/rtl/link/link_lock_step.h"
#include "model/rtl/ring/rtl_dma_rings.h"

namespace tahoma::rtl {

std::unique_ptr<model::TensorArray> tensor_array(const std::string& path, const model::TensorParams& params) {
  return std::make_unique<TensorGates>(path, params);
}

std::unique_ptr<model::RingWitness> dma_rings(const std::string& path, const model::DmaParams& params) {
  return std::make_unique<RtlDmaRings>(path, params);
}

model::PortWitnessMaker link_ports() {
  return [](const model::PortSite& site) {
    return std::make_unique<LinkLockStep>(site, verilated_link_port(site.path));
  };
}

}  // namespace tahoma::rtl
