// SPDX-License-Identifier: Apache-2.0
// Causal attention of one sequence and its gradients by their definition, with errors (noisy.h).
#pragma once

#include "workloads/training/definition/noisy.h"

namespace tahoma::workloads {

// Queries [tokens, heads d], keys and values [tokens, kv_heads d].
struct NoisyHeads {
  Noisy q, k, v;
};
Noisy attended(const ModelShape& model, const NoisyHeads& heads);
// From o, what attended() gave, and its gradient.
NoisyHeads attended_back(const ModelShape& model, const NoisyHeads& heads, const Noisy& o, const Noisy& d_o);

}  // namespace tahoma::workloads
