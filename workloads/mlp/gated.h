// SPDX-License-Identifier: Apache-2.0
// The middle of a gated MLP, element by element: y = activation(gate) * up, token-major. The scalar engine
// makes the activation in fp32, the vector engine the product, rounded once to the dtype. Element-wise work
// of three tensors is bound by the DMA engines on every machine like this one.
#pragma once

#include "runtime/kernel.h"

namespace tahoma::workloads {

struct GatedShape {
  std::uint64_t tokens = 0, columns = 0;
  isa::DType dtype = isa::DType::kBf16;  // of all three
  isa::ActFn activation = isa::ActFn::kSilu;
};

// [tokens, columns] each; gate and up may be columns of one wider matrix, y may be either's view.
struct GatedViews {
  runtime::HbmView gate, up, y;
};

// Appends it to a kernel, which may hold more than this. Takes up to 80 KiB of each SBUF partition, of fp32
// 128.
void emit_gated(runtime::Kernel& kernel, const model::MachineParams& machine, const GatedShape& shape,
                const GatedViews& views);

}  // namespace tahoma::workloads
