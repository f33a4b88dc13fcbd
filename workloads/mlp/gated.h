// SPDX-License-Identifier: Apache-2.0
// The middle of a gated MLP, element by element: y = activation(gate) * up, token-major. The scalar engine
// computes the activation in fp32, the vector engine the product, rounded once to the dtype. Element-wise
// work on three tensors is bound by the DMA engines on every machine of this kind.
//
// The backward pass covers y = silu(gate) * up. With s = sigmoid(gate) and t = sigmoid(-gate), one table of
// functions serves both gradients and neither tail loses precision:
//   dup = (dy s) gate        dgate = (1 + gate t) (dy s) up
// in fp32, each rounded once. Sigmoids and the sum with 1 run on the scalar engine, dy s and its product with
// up on GpSimd, the other products on the vector engine. gate must be finite (an infinite one gives NaN).
#pragma once

#include "runtime/builder/kernel.h"

namespace tahoma::workloads {

struct GatedShape {
  std::uint64_t tokens = 0, columns = 0;
  isa::DType dtype = isa::DType::kBf16;  // of all three tensors; y may be narrower
  isa::ActFn activation = isa::ActFn::kSilu;
  // y = activation(min(gate, limit)) * (min(max(up, -limit), limit) + 1); 0: y as above.
  float limit = 0;
};

// [tokens, columns] each; gate and up may be columns of one wider matrix, and y may be the view of either.
struct GatedViews {
  runtime::HbmView gate, up, y;
};

// Appends it to a kernel that may contain other work. Takes up to 80 KiB of each SBUF partition (128 KiB in
// fp32).
void emit_gated(runtime::Kernel& kernel, const model::MachineParams& machine, const GatedShape& shape,
                const GatedViews& views);

// [tokens, columns] each, possibly columns of wider matrices; dgate and dup may overwrite any of the others.
struct GatedBackwardViews {
  runtime::HbmView gate, up, dy, dgate, dup;
};

// Appends it; the shape's activation is silu. Takes up to 192 KiB of each SBUF partition.
void emit_gated_backward(runtime::Kernel& kernel, const model::MachineParams& machine,
                         const GatedShape& shape, const GatedBackwardViews& views);

}  // namespace tahoma::workloads
