// SPDX-License-Identifier: Apache-2.0
// Routing of a mixture of experts on one core. For each token the top_k experts with the largest logits, of
// equal ones the first; their gates, softmax over the chosen ones (normalised) or over all; how many tokens
// each expert got, and the number of each token among those of its expert, which is the row it goes to when
// tokens are sent to their experts.
//
// 128 tokens are on partitions, experts beside each other. Logits come from HBM or from x w. Numbers within
// an expert are counted by the array: a triangle of ones adds up the choices of the tokens before this one.
#pragma once

#include "isa/program.h"
#include "model/system/machine_params.h"

namespace tahoma::workloads {

struct RoutingShape {
  std::uint64_t tokens = 0, experts = 0, top_k = 0;
  std::uint64_t hidden = 0;  // elements of a token; 0: logits are given
  bool normalised = true;
  isa::DType dtype = isa::DType::kBf16;  // of x and w
};

inline constexpr std::uint64_t kMostChosen = 8;  // what one search of the vector engine finds

// Arguments: x [hidden, tokens] and w [hidden, experts], or logits [tokens, experts] in fp32; then, written,
// logits [tokens, experts] (only of x w), chosen [tokens, top_k] int32, gates [tokens, top_k] fp32,
// places [tokens, top_k] int32, counts [1, experts] int32.
isa::Program routing_program(const model::MachineParams& machine, const RoutingShape& shape);

}  // namespace tahoma::workloads
