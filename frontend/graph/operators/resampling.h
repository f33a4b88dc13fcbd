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

// Resize in mode nearest: for each dimension the input index of each output index. E-ONX-005 for other modes.
std::vector<std::vector<std::int64_t>> nearest_pixels(const NodeView& node);
std::vector<TensorType> infer_resize(const NodeView& node);
std::vector<Wanted> define_resize(const NodeView& node, const Inputs& in,
                                  const std::vector<TensorType>& outputs);

}  // namespace tahoma::workloads::graph
