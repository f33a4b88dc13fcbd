// SPDX-License-Identifier: Apache-2.0
// The definition of multi-head latent attention in double: the keys and values of all tokens are expanded,
// and none of their products is absorbed. The allowed error is that of the form that the machine computes.
#pragma once

#include "workloads/transformer/layer/layer_definition.h"

namespace tahoma::workloads {

// The outputs of all heads for the rows `a` of a sequence, [tokens, heads values]. The cache has [context,
// kv_rank + rope] in k. `absorbed`: the machine multiplies queries and results by the matrices of keys and
// values, as in a decoding step.
Noisy latent_attended(const ModelShape& model, const HostWeights& weights, const Cache& cache, const Noisy& a,
                      const Rows& angles, bool absorbed);

}  // namespace tahoma::workloads
