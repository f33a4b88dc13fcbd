// SPDX-License-Identifier: Apache-2.0
// Operators that move elements without computing: views, transposes, pieces, and tensors made of shapes.
// Every function that infers gives the types of the outputs, every one that defines their values.
#pragma once

#include "frontend/graph/operators/operator_definition.h"

namespace tahoma::workloads::graph {

// Reshape, Flatten, Squeeze, Unsqueeze, Identity, Dropout: the same elements with other dimensions.
std::vector<TensorType> infer_view(const NodeView& node);
std::vector<Wanted> define_view(const NodeView& node, const Inputs& in,
                                const std::vector<TensorType>& outputs);

std::vector<std::size_t> permutation_of(const NodeView& node);  // output dimension d is this one of the input
std::vector<TensorType> infer_transpose(const NodeView& node);
std::vector<Wanted> define_transpose(const NodeView& node, const Inputs& in,
                                     const std::vector<TensorType>& outputs);

std::vector<TensorType> infer_concat(const NodeView& node);
std::vector<Wanted> define_concat(const NodeView& node, const Inputs& in,
                                  const std::vector<TensorType>& outputs);
std::vector<TensorType> infer_split(const NodeView& node);
std::vector<Wanted> define_split(const NodeView& node, const Inputs& in,
                                 const std::vector<TensorType>& outputs);

// One dimension of a slice: output index i is input index start + i * step.
struct SliceAxis {
  std::int64_t start = 0, step = 1, count = 0;
};
std::vector<SliceAxis> slice_of(const NodeView& node);  // by dimension
std::vector<TensorType> infer_slice(const NodeView& node);
std::vector<Wanted> define_slice(const NodeView& node, const Inputs& in,
                                 const std::vector<TensorType>& outputs);

// Expand and Tile: output index i is input index i modulo its dimension.
std::vector<TensorType> infer_repeat(const NodeView& node);
std::vector<Wanted> define_repeat(const NodeView& node, const Inputs& in,
                                  const std::vector<TensorType>& outputs);

struct Padding {
  std::vector<std::int64_t> before, after;  // by dimension; negative: cut off
  double value = 0;
};
Padding padding_of(const NodeView& node);
std::vector<TensorType> infer_pad(const NodeView& node);
std::vector<Wanted> define_pad(const NodeView& node, const Inputs& in,
                               const std::vector<TensorType>& outputs);

std::vector<TensorType> infer_gather(const NodeView& node);
std::vector<Wanted> define_gather(const NodeView& node, const Inputs& in,
                                  const std::vector<TensorType>& outputs);

// Trilu: elements on one side of a diagonal, others are 0.
struct Triangle {
  bool upper = true;
  std::int64_t diagonal = 0;
  bool has(std::int64_t row, std::int64_t column) const {
    return upper ? column - row >= diagonal : column - row <= diagonal;
  }
};
Triangle triangle_of(const NodeView& node);
std::vector<Wanted> define_triangle(const NodeView& node, const Inputs& in,
                                    const std::vector<TensorType>& outputs);

// Constant, ConstantOfShape, Shape, Size, Range: known before the run.
std::vector<TensorType> infer_known(const NodeView& node);
std::vector<Wanted> define_known(const NodeView& node, const Inputs& in,
                                 const std::vector<TensorType>& outputs);

}  // namespace tahoma::workloads::graph
