// SPDX-License-Identifier: Apache-2.0
// Attention as exporters write it: softmax(factor q k^T + masks) v.
#pragma once

#include <optional>
#include <vector>

#include "frontend/graph/fuse/readers.h"
#include "frontend/graph/fuse/strided_view.h"

namespace tahoma::workloads::graph {

constexpr double kHides = -1e4;  // a score of this, or less, has no weight beside others

// Added to the scores, after their factor: factor * value, broadcast. Or, if a number is there, scores are
// that number where `value`, a condition, is `hides`.
struct AttentionMaskTerm {
  ValueId value = 0;
  double factor = 1;
  std::optional<double> number;
  bool hides = true;
  Dims scores;  // to which the value is broadcast
};

struct AttentionPattern {
  // q [batch, queries, features], k [batch, keys, features] and v [batch, keys, values] as views of what is
  // in HBM, with features and values side by side. `out` is the view of the stored value.
  StridedView q, k, v, out;
  bool k_across = false;    // k must be transposed: its base is the operand [.., features, keys]
  Dims score_batch, batch;  // of q k^T and of the result: as many
  std::int64_t queries = 0, keys = 0, features = 0, values = 0;
  double factor = 1;
  std::vector<AttentionMaskTerm> masks;
  std::size_t scores = 0, softmax = 0, product = 0;  // the three nodes that compute
  std::vector<std::size_t> nodes;                    // in order, with those that the views pass
};

// The attention whose softmax this node is. Both products must have at most 256 features or values.
std::optional<AttentionPattern> match_attention(const Graph& graph, const Readers& readers,
                                                const ViewTracer& tracer, std::size_t softmax);

}  // namespace tahoma::workloads::graph
