// SPDX-License-Identifier: Apache-2.0
// A layer of a prefill leaves these in HBM on one rank. Sent data are never overwritten, because the sender
// is not notified when they have been read.
#pragma once

#include <functional>
#include <vector>

#include "workloads/transformer/layer/products.h"
#include "workloads/transformer/partition/rows.h"
#include "workloads/transformer/partition/tokens.h"

namespace tahoma::workloads {

// What a rank has of a layer, and of the rows and tokens.
struct PrefillSharding {
  const RankShare& share;
  const RowSharding& rows;
  const TokenSharding& tokens;
};

struct PrefillLayer : LayerTensors {
  // `streams`: by physical core, the residual stream before the stage's first layer; none before another one.
  PrefillLayer(Replica& replica, std::size_t rank, const TransformerParams& params,
               const PrefillSharding& sharding, const std::vector<Matrix>* streams);

  Matrix embedded;  // with logits, of the first layer: this rank's contribution to all rows
  Matrix gathered, gathered_mlp;
  Matrix keys, all_keys;  // with values: of this group's tokens, and of all if groups share sequences
  struct CoreTensors {    // its rows, slice by slice
    Matrix stream, normed, sum, middle, normed_mlp, sum_mlp;
    Matrix sums;  // with sinks: log-sum-exps of the scores of its heads, [heads, tokens] of fp32
    Matrix mixed, shared_logits;  // with a shared expert: the sum of the others, and the logits of its gate
  };
  std::vector<CoreTensors> core_tensors;

 private:
  using Allocate = std::function<Matrix(const char* name, std::uint64_t columns)>;
  void allocate_delta(Replica& replica, std::size_t rank, const ModelShape& model, const RankShare& share,
                      std::uint64_t rows);
  void allocate_latent(const Allocate& whole, const LatentShape& shape, std::uint64_t heads);
  void allocate_core_tensors(Replica& replica, std::size_t rank, const ModelShape& model,
                             const PrefillSharding& sharding, const std::vector<Matrix>* streams);
};

}  // namespace tahoma::workloads
