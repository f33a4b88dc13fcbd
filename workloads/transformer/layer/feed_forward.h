// SPDX-License-Identifier: Apache-2.0
// A SwiGLU on the physical cores of the ranks: partial = (silu(normed gate) * (normed up)) down, for the
// hidden features of a rank, or activation(normed up) down; with biases, if there are any. Each physical core
// computes equally many columns of every product, with a rendezvous after each.
#pragma once

#include <functional>
#include <optional>

#include "workloads/transformer/layer/parts.h"
#include "workloads/transformer/partition/replica.h"

namespace tahoma::workloads {

// Addresses for a physical core, with the columns of both: [rows, hidden], [hidden, 2 ffn] as in
// LayerWeights, [ffn, hidden], [rows, 2 ffn], [rows, ffn], [rows, hidden]. Without rows nothing is computed.
struct FeedForwardViews {
  runtime::HbmView normed, gate_up_weights, down_weights, gate_up, hidden, partial;
  std::optional<runtime::HbmView> gate_up_bias{}, down_bias{};
};
using FeedForwardOf = std::function<FeedForwardViews(std::size_t rank, std::size_t physical_core)>;

// Computes `hidden`, and `partial` from it.
void emit_widen(Replica& replica, const ModelShape& model, const FeedForwardOf& of);
void emit_narrow(Replica& replica, const ModelShape& model, const FeedForwardOf& of);

}  // namespace tahoma::workloads
