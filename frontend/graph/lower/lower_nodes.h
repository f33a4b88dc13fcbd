// SPDX-License-Identifier: Apache-2.0
// The lowering of each operator: adds the steps of a node to the plan. What an operator of this table cannot
// do is refused with E-ONX-010 at the node, before anything runs.
#pragma once

#include "frontend/graph/lower/graph_lowering.h"

namespace tahoma::workloads::graph {

using NodeLowering = void (*)(const NodeView& node, Lowering& lowering);

void lower_elementwise(const NodeView& node, Lowering& lowering);

void lower_view(const NodeView& node, Lowering& lowering);
void lower_transpose(const NodeView& node, Lowering& lowering);
void lower_concat(const NodeView& node, Lowering& lowering);
void lower_split(const NodeView& node, Lowering& lowering);
void lower_slice(const NodeView& node, Lowering& lowering);
void lower_repeat(const NodeView& node, Lowering& lowering);
void lower_pad(const NodeView& node, Lowering& lowering);
void lower_triangle(const NodeView& node, Lowering& lowering);
void lower_gather(const NodeView& node, Lowering& lowering);

void lower_blocks(const NodeView& node, Lowering& lowering);
void lower_resize(const NodeView& node, Lowering& lowering);

void lower_matmul(const NodeView& node, Lowering& lowering);
void lower_gemm(const NodeView& node, Lowering& lowering);
void lower_conv(const NodeView& node, Lowering& lowering);
void lower_conv_transpose(const NodeView& node, Lowering& lowering);
void lower_pool(const NodeView& node, Lowering& lowering);

void lower_softmax(const NodeView& node, Lowering& lowering);
void lower_layer_norm(const NodeView& node, Lowering& lowering);
void lower_instance_norm(const NodeView& node, Lowering& lowering);
void lower_batch_norm(const NodeView& node, Lowering& lowering);
void lower_reduction(const NodeView& node, Lowering& lowering);

}  // namespace tahoma::workloads::graph
