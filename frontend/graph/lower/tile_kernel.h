// SPDX-License-Identifier: Apache-2.0
// Code on tiles (frontend/graph/operators/tile_code.h) as a kernel: operands in HBM are broadcast to the
// result. Adjacent dimensions that every operand has in one run are one; the innermost one becomes the
// columns of tiles, all others their rows, 128 at a time. An operand that is the same for all columns is
// loaded as a column, and one that is the same for several tiles is loaded once.
#pragma once

#include "frontend/graph/lower/graph_lowering.h"
#include "frontend/graph/operators/tile_code.h"

namespace tahoma::workloads::graph {

// Adds a step: out = the code's result on the operands.
void add_tile_code(Lowering& lowering, const TensorRef& out, const std::vector<TensorRef>& in,
                   const TileCode& code, TileOperand result);

// The same for one operation.
void add_tensor_operation(Lowering& lowering, const TensorRef& out, const TensorRef& a, const TensorRef& b,
                          isa::AluOp op);
void add_activation(Lowering& lowering, const TensorRef& out, const TensorRef& in, isa::ActFn fn);

}  // namespace tahoma::workloads::graph
