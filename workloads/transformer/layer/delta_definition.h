// SPDX-License-Identifier: Apache-2.0
// The definition of a gated delta rule (workloads/delta/delta_shape.h), token by token.
#pragma once

#include "workloads/transformer/layer/layer_definition.h"

namespace tahoma::workloads {

// [tokens, value_heads value_dim], in front of the projection. The cache of a decoding step has the states
// [value_heads key_dim, value_dim], and the last tokens in front of the convolution.
Noisy delta_mixed(const ModelShape& model, const HostWeights& weights, const Cache& cache, const Noisy& a);

}  // namespace tahoma::workloads
