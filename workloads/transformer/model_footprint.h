// SPDX-License-Identifier: Apache-2.0
// The HBM footprint of the whole model, not only of the simulated layers: weights, caches of keys and values,
// one layer's activations, and the embedding and its transpose sharded over the ranks; with logits, over
// those of a group, because each replica has its own: the embedding is in the first stage of a pipeline, its
// transpose in the last.
#pragma once

#include "workloads/transformer/partition/transformer_params.h"

namespace tahoma::workloads {

struct Footprint {
  double weights = 0, caches = 0, activations = 0, embedding = 0;  // bytes of the busiest chip
  double total() const { return weights + caches + activations + embedding; }
};

// The number of ranks on the chip with the most ranks.
std::uint64_t ranks_of_chip(const TransformerParams& params, const model::MachineParams& machine);
Footprint footprint_of(const TransformerParams& params, const model::MachineParams& machine);

// Throws UserError E-MDL-005 if the chip has less HBM, with the parts and possible remedies.
void check_footprint(const TransformerParams& params, const model::MachineParams& machine);

}  // namespace tahoma::workloads
