// SPDX-License-Identifier: Apache-2.0
// A rank's part of the weights of a mixture of experts: the whole router, and its share of each expert of its
// block.
#pragma once

#include "workloads/transformer/layer/layer_weights.h"

namespace tahoma::workloads {

struct ExpertWeights {
  Matrix router;   // [hidden, experts of the model]
  Matrix in, out;  // [hidden, expert_latent], [expert_latent, hidden]; every rank has all of them
  struct Expert {
    Matrix gate_up, down, gate_up_bias, down_bias;  // as in LayerWeights
  };
  std::vector<Expert> experts;

  ExpertWeights(Replica& replica, std::size_t rank, const ModelShape& model, const RankShare& share);
  void fill(runtime::Machine& machine, const Replica& replica, std::size_t rank, const HostWeights& weights,
            const RankShare& share) const;
};

}  // namespace tahoma::workloads
