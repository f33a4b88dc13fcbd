// SPDX-License-Identifier: Apache-2.0
// The definition of causal attention of one sequence and its gradients, with errors (noisy.h).
#pragma once

#include "workloads/transformer/layer/noisy.h"

namespace tahoma::workloads {

// Queries [tokens, heads d], keys and values [before + tokens, kv_heads d]: `before` precede the first query.
struct NoisyHeads {
  Noisy q, k, v;
};
// Query heads, those that share keys and values, and the features of a key and of a value.
struct HeadSizes {
  std::uint64_t heads, group, d, values;
};
// A query sees the last `window` keys up to its own; 0: all. Beside their scores it has `sinks` [1, heads],
// without values; empty: none.
Noisy attended(const ModelShape& model, const NoisyHeads& heads, std::uint64_t window = 0,
               const Rows& sinks = {});
Noisy attended(const ModelShape& model, const NoisyHeads& heads, std::uint64_t window, const HeadSizes& sizes,
               const Rows& sinks = {});
// Computes the gradients from o, the result of attended(), and its gradient.
NoisyHeads attended_back(const ModelShape& model, const NoisyHeads& heads, const Noisy& o, const Noisy& d_o);

}  // namespace tahoma::workloads
