// SPDX-License-Identifier: Apache-2.0
// What one rank has of one layer in HBM: what its forward pass leaves for the backward pass, and the
// gradients of it. All in bf16 but lse and sums, token-major.
#pragma once

#include <tuple>

#include "workloads/training/step/token_rows.h"
#include "workloads/transformer/layer/products.h"

namespace tahoma::workloads {

// Forward. `partial` and `partial_mlp` are `attended.all` and `widened.all`.
struct LayerTape : LayerTensors {
  TokenRows normed, attended, normed_mlp, widened;  // in front of the products, and behind them
  std::vector<Matrix> middle;                       // by physical core: the stream between the two parts
  std::vector<Matrix> lse;                          // by physical core: [sequences heads, tokens] of fp32
};
LayerTape make_tape(Fleet& fleet, const TrainingParams& params, const RankShare& share,
                    const RowExchange& rows, const Cell& rank);

// Backward: of what the forward pass calls so.
struct LayerGradients {
  TokenRows normed, middle, normed_mlp;
  Matrix qkv, o, gate_up, hidden;
  std::vector<Matrix> dk_sum, dv_sum;  // by physical core, of fp32, where BackwardPart::needs_sums()
};
LayerGradients make_gradients(Fleet& fleet, const TrainingParams& params, const RankShare& share,
                              const RowExchange& rows, const Cell& rank);

// The heads of a physical core, in columns of `qkv` and (queries) of `o`; each physical core has whole
// groups.
struct CellHeads {
  std::uint64_t q, k, v, heads, kv_heads;
  CellHeads(const RankShare& share, std::size_t physical_core);
  std::tuple<runtime::HbmView, runtime::HbmView, runtime::HbmView> of(const runtime::HbmView& qkv,
                                                                      std::uint64_t head_dim) const;
  runtime::HbmView queries(const runtime::HbmView& o, std::uint64_t head_dim) const {
    return heads_of(o, q, heads, head_dim);
  }
};

}  // namespace tahoma::workloads
