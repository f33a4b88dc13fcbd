// SPDX-License-Identifier: Apache-2.0
// What the whole model takes of HBM, not only the layers that are simulated: weights, caches of keys and
// values, one layer's activations, and the embedding and its transpose sharded over the ranks.
#pragma once

#include "workloads/transformer/transformer_params.h"

namespace tahoma::workloads {

struct Footprint {
  double weights = 0, caches = 0, activations = 0, embedding = 0;  // bytes of the busiest chip
  double total() const { return weights + caches + activations + embedding; }
};

// Ranks of the chip that has most.
std::uint64_t ranks_of_chip(const TransformerParams& params, const model::MachineParams& machine);
Footprint footprint_of(const TransformerParams& params, const model::MachineParams& machine);

// Throws UserError E-MDL-005 where the chip has less, with its parts and what would help.
void check_footprint(const TransformerParams& params, const model::MachineParams& machine);

}  // namespace tahoma::workloads
