// SPDX-License-Identifier: Apache-2.0
// Operators on rows: softmax, normalisations, reductions.
#pragma once

#include "frontend/graph/operators/operator_definition.h"

namespace tahoma::workloads::graph {

std::vector<TensorType> infer_same(const NodeView& node);  // that of input 0

// Softmax and LogSoftmax. Before opset 13 all dimensions from `axis` on are one row.
struct RowsOf {
  std::size_t first, count;  // dimensions of a row
};
RowsOf softmax_rows(const NodeView& node);
std::vector<Wanted> define_softmax(const NodeView& node, const Inputs& in,
                                   const std::vector<TensorType>& outputs);

// LayerNormalization: its output, the mean and the inverse deviation of each row.
std::vector<TensorType> infer_layer_norm(const NodeView& node);
std::vector<Wanted> define_layer_norm(const NodeView& node, const Inputs& in,
                                      const std::vector<TensorType>& outputs);
// InstanceNormalization: rows are the pixels of a channel.
std::vector<Wanted> define_instance_norm(const NodeView& node, const Inputs& in,
                                         const std::vector<TensorType>& outputs);

// BatchNormalization of inference.
std::vector<TensorType> infer_batch_norm(const NodeView& node);
std::vector<Wanted> define_batch_norm(const NodeView& node, const Inputs& in,
                                      const std::vector<TensorType>& outputs);

// Reduce*.
std::vector<std::size_t> reduced_axes(const NodeView& node);  // ascending
std::vector<TensorType> infer_reduction(const NodeView& node);
std::vector<Wanted> define_reduction(const NodeView& node, const Inputs& in,
                                     const std::vector<TensorType>& outputs);

}  // namespace tahoma::workloads::graph
