// SPDX-License-Identifier: Apache-2.0
// The elements of the tensors that a training step reduces and updates one by one (workloads/training): the
// products of a layer, the logits' matrix, and the gains of a stage's norms, which are one tensor.
#pragma once

#include <array>

#include "studies/cluster/input/cluster_case.h"

namespace tahoma::runtime::cluster {

// The tensors are queries, keys and values; projection; gate and up; down.
inline std::array<double, 4> layer_tensors(const ModelConfig& m) {
  const double hidden = number(m.hidden), d = number(m.head_dim);
  return {hidden * number(m.heads + 2 * m.kv_heads) * d, hidden * number(m.heads) * d,
          2 * hidden * number(m.ffn), hidden * number(m.ffn)};
}

inline double head_elements(const ModelConfig& m) { return number(m.hidden) * number(m.vocabulary); }

// Two norms of each layer of a stage, and the last one.
inline double norm_elements(const ClusterCase& c) {
  return (2 * number(c.chunk_layers()) + 1) * number(c.model.hidden);
}

}  // namespace tahoma::runtime::cluster
