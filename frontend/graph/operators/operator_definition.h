// SPDX-License-Identifier: Apache-2.0
// What an operator is: the types of its outputs, and its values in double, from ONNX's definition. These are
// the golden reference and fold constants; they share no code with the lowering.
#pragma once

#include <functional>
#include <vector>

#include "frontend/graph/operators/node_view.h"

namespace tahoma::workloads::graph {

// An output and, by element, how far a machine that computes in fp32 may be from it before it rounds the
// result to the output's type (runtime/golden/golden.h). Empty: exactly this value is rounded.
struct Wanted {
  Array array;
  std::vector<double> slack;
};

using Inputs = std::vector<const Array*>;  // null: omitted
// Throws UserError E-ONX-004, 005, 009 or 010.
using Inference = std::vector<TensorType> (*)(const NodeView& node);
// `outputs` are the inferred types. Values are not yet rounded to them.
using Definition = std::vector<Wanted> (*)(const NodeView& node, const Inputs& in,
                                           const std::vector<TensorType>& outputs);

// Slack of a value after some roundings of results about this size.
double rounding_slack(double roundings, double size);

// Calls f(index, number) for every element of a tensor, in row-major order.
void for_each_index(const Dims& dims, const std::function<void(const Dims& index, std::size_t number)>& f);
std::size_t offset_of(const Dims& dims, const Dims& index);
// Of an operand that is broadcast to the dimensions of the index.
std::size_t broadcast_offset(const Dims& dims, const Dims& index);

}  // namespace tahoma::workloads::graph
