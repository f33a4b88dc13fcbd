// SPDX-License-Identifier: Apache-2.0
// The tensors of one layer of a decoding step on one rank.
#pragma once

#include <vector>

#include "workloads/transformer/decode/decode_sharding.h"
#include "workloads/transformer/layer/products.h"

namespace tahoma::workloads {

struct DecodeLayer : LayerTensors {
  // `streams`: by physical core, the residual stream before the stage's first layer; none before another one.
  DecodeLayer(Replica& replica, std::size_t rank, const TransformerParams& params, const RankShare& share,
              const DecodeSharding& sharding, const std::vector<Matrix>* streams);

  Matrix sum, sum_mlp;
  // With logits, of the first layer: this rank's contribution to the embedded tokens, and the tokens.
  Matrix embedded, stream;
  struct CoreTensors {
    Matrix stream, normed, middle, normed_mlp;
    Matrix mixed, shared_logits;    // with a shared expert: the sum of the others, and the logits of its gate
    Matrix sums;                    // with sinks: log-sum-exps of the scores, [heads, sequences] of fp32
    Matrix part, lse, parts, lses;  // attention of this group's tokens, and of those of all groups
  };
  std::vector<CoreTensors> core_tensors;

 private:
  void allocate_parts(Replica& replica, std::size_t rank, const TransformerParams& params,
                      const RankShare& share, const DecodeSharding& sharding);
};

}  // namespace tahoma::workloads
