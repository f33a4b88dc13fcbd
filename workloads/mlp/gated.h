// SPDX-License-Identifier: Apache-2.0
// The middle of a gated MLP, element by element: y = activation(gate) * up, token-major. The scalar engine
// makes the activation in fp32, the vector engine the product, rounded once to the dtype. Element-wise work
// of three tensors is bound by the DMA engines on every machine like this one.
//
// And its backward pass for y = silu(gate) * up, with s = sigmoid(gate) and t = sigmoid(-gate), so that one
// table of functions serves both gradients and neither tail loses its digits:
//   dup = (dy s) gate        dgate = (1 + gate t) (dy s) up
// in fp32, each rounded once: sigmoids and the sum with 1 on the scalar engine, dy s and its product with up
// on GpSimd, the other products on the vector engine. gate has to be finite (an infinite one gives NaN).
#pragma once

#include "runtime/builder/kernel.h"

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

// [tokens, columns] each, which may be columns of wider matrices; dgate, dup may be in the place of any.
struct GatedBackwardViews {
  runtime::HbmView gate, up, dy, dgate, dup;
};

// Appends it; the shape's activation is silu. Takes up to 192 KiB of each SBUF partition.
void emit_gated_backward(runtime::Kernel& kernel, const model::MachineParams& machine,
                         const GatedShape& shape, const GatedBackwardViews& views);

}  // namespace tahoma::workloads
