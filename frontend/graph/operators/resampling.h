// SPDX-License-Identifier: Apache-2.0
// Operators that move channels into pixels and back, and images of nearest pixels.
#pragma once

#include "frontend/graph/operators/operator_definition.h"

namespace tahoma::workloads::graph {

// DepthToSpace and SpaceToDepth as a permutation of six dimensions.
struct BlockMove {
  Dims from;                       // of the input
  std::vector<std::size_t> order;  // result dimension d is this one
};
BlockMove block_move(const NodeView& node);
std::vector<TensorType> infer_blocks(const NodeView& node);
std::vector<Wanted> define_blocks(const NodeView& node, const Inputs& in,
                                  const std::vector<TensorType>& outputs);

// Resize: the output's sizes and the scales of the dimensions.
struct ResizeTo {
  Dims dims;
  std::vector<double> scales;
};
ResizeTo resize_to(const NodeView& node);
// The coordinate of output index `at` in an input of size `from`, by the node's mode; E-ONX-005.
double source_of(const NodeView& node, std::int64_t at, std::int64_t from, std::int64_t to, double scale);

// In mode nearest: for each dimension the input index of each output index. E-ONX-005 for other modes.
std::vector<std::vector<std::int64_t>> nearest_pixels(const NodeView& node);
// Every pixel is repeated equally often, or every so many are taken.
bool repeats_evenly(const std::vector<std::int64_t>& pixels, std::int64_t from);
std::vector<TensorType> infer_resize(const NodeView& node);
std::vector<Wanted> define_resize(const NodeView& node, const Inputs& in,
                                  const std::vector<TensorType>& outputs);

}  // namespace tahoma::workloads::graph
