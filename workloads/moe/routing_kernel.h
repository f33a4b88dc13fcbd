// SPDX-License-Identifier: Apache-2.0
// Routing of a mixture of experts on one core. For each token it computes the top_k experts with the largest
// logits (the first of equal ones) and their gates, a softmax over the chosen experts (normalised) or over
// all. It also counts the tokens of each expert and numbers each token among those of its expert; that is its
// row when tokens are sent to their experts.
//
// 128 tokens are on partitions, with experts side by side. Logits come from HBM or from x w. The array
// computes the numbers within an expert: a triangle of ones adds up the choices of the earlier tokens.
//
// The choice may be prescribed, as in benchmarks of load balancing. A bias on the logits, larger than any of
// them, determines which experts are found and in which order. The kernel subtracts the difference between
// experts again before the softmax, so that gates are those of the logits alone.
#pragma once

#include "isa/core/program.h"
#include "model/system/machine/machine_params.h"
#include "runtime/builder/kernel.h"

namespace tahoma::workloads {

struct RoutingShape {
  std::uint64_t tokens = 0, experts = 0, top_k = 0;
  std::uint64_t hidden = 0;  // elements of a token; 0: logits are given
  bool normalised = true;
  isa::DType dtype = isa::DType::kBf16;  // of x and w
  bool by_rows = false;     // x is token-major, [tokens, hidden] (workloads/common/transposed_load.h)
  bool prescribed = false;  // with a bias
  // Gates are sigmoids of the logits, which normalised ones divide by their sum. Experts are chosen by the
  // sigmoids.
  bool sigmoid = false;
  float factor = 1;  // of the gates
};

// For prescribed choices. The k-th of `top_k` experts has bias_of(k), all others have none: correct for
// logits between -kBiasStep / 2 and kBiasStep / 2. Adding it rounds a logit by up to 2^-24 top_k kBiasStep.
inline constexpr float kBiasStep = 64;
constexpr float bias_of(std::uint64_t top_k, std::uint64_t k) {
  return kBiasStep * static_cast<float>(top_k - k);
}

inline constexpr std::uint64_t kFoundAtOnce = 8;  // results of one search of the vector engine
inline constexpr std::uint64_t kMostChosen = 32;

struct RoutingViews {
  runtime::HbmView x, w;  // of x w
  runtime::HbmView logits, chosen, gates, places, counts;
  runtime::HbmView bias;  // prescribed: [tokens, experts] fp32
};

// Appends it to a kernel, which may contain more than this. For x w it uses up to 2 KiB of SBUF for each 128
// elements of a token.
void emit_routing(runtime::Kernel& kernel, const model::MachineParams& machine, const RoutingShape& shape,
                  const RoutingViews& views);

// A separate program. Arguments: x [hidden, tokens] and w [hidden, experts], or logits [tokens, experts] in
// fp32; then the outputs logits [tokens, experts] (only for x w), chosen [tokens, top_k] int32, gates
// [tokens, top_k] fp32, places [tokens, top_k] int32, counts [1, experts] int32.
isa::Program routing_program(const model::MachineParams& machine, const RoutingShape& shape);

}  // namespace tahoma::workloads
