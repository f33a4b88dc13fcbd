// SPDX-License-Identifier: Apache-2.0
// A step of attention, by the flash kernel of workloads/attention: scores stay on chip.
#pragma once

#include "frontend/graph/lower/graph_lowering.h"

namespace tahoma::workloads::graph {

// Matrices of all heads in one tensor: rows `pitch` elements apart, from these elements on.
struct HeadMatrices {
  TensorRef tensor;
  std::int64_t pitch = 0;
  std::vector<std::uint64_t> at;
};

// out[h] = softmax(scale q[h] k[h]^T + scale masks[h]) v[h]; with `causal` query i sees the keys up to
// i + keys - queries. A mask is bf16 or fp32; its pitch is 0 if all its rows are the same.
struct AttentionStep {
  HeadMatrices q, k, v, out;
  std::vector<HeadMatrices> masks;
  std::int64_t queries = 0, keys = 0, features = 0, values = 0;
  double scale = 1;
  bool causal = false;
};
void add_attention(Lowering& lowering, AttentionStep attention);

}  // namespace tahoma::workloads::graph
