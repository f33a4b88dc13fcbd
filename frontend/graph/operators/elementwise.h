// SPDX-License-Identifier: Apache-2.0
// Operators that compute each element from the elements at the same place of their operands, which are
// broadcast. One row has all of an operator: its definition and the instructions that compute it.
#pragma once

#include <string_view>
#include <vector>

#include "frontend/graph/operators/operator_definition.h"
#include "frontend/graph/operators/tile_code.h"

namespace tahoma::workloads::graph {

struct ElementwiseRow {
  std::string_view op;
  std::size_t least, most;  // inputs
  // Attributes as numbers, and constants that are scalars; null: none.
  std::vector<double> (*parameters)(const NodeView& node);
  // x: the elements of all inputs, n of them.
  double (*value)(const double* x, std::size_t n, const double* p);
  // The code that computes it from the inputs.
  TileOperand (*code)(TileCode& code, const std::vector<TileOperand>& in, const double* p);
  // |computed - value| is at most ulps * 2^-23 * (|value| + terms * largest input).
  double ulps = 0;
  double terms = 0;
  bool truth = false;  // the result is a bool
};

std::span<const ElementwiseRow> elementwise_rows();
const ElementwiseRow* elementwise_row(std::string_view op);  // null: none

std::vector<TensorType> infer_elementwise(const NodeView& node);
std::vector<Wanted> define_elementwise(const NodeView& node, const Inputs& in,
                                       const std::vector<TensorType>& outputs);

}  // namespace tahoma::workloads::graph
