// SPDX-License-Identifier: Apache-2.0
// The tensors of one layer in the HBM of one rank: values that the forward pass keeps for the backward pass,
// and their gradients. All are bf16 except lse and sums, and token-major.
#pragma once

#include <tuple>

#include "workloads/training/step/token_rows.h"
#include "workloads/transformer/layer/products.h"

namespace tahoma::workloads {

// These are the values of the forward pass. `partial` and `partial_mlp` are `attended.all` and `widened.all`.
struct LayerTape : LayerTensors {
  TokenRows normed, attended, normed_mlp, widened;  // before and after the products
  std::vector<Matrix> middle;                       // by physical core: the stream between the two parts
  std::vector<Matrix> lse;                          // by physical core: [sequences heads, tokens] of fp32
};
LayerTape make_tape(Fleet& fleet, const TrainingParams& params, const RankShare& share,
                    const RowExchange& rows, const Cell& rank);

// These are the gradients of the forward values with the same names.
struct LayerGradients {
  TokenRows normed, middle, normed_mlp;
  Matrix qkv, o, gate_up, hidden;
  std::vector<Matrix> dk_sum, dv_sum;  // by physical core, of fp32, if BackwardPart::needs_sums()
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
