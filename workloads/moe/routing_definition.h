// SPDX-License-Identifier: Apache-2.0
// The definition of routing. Logits of x w are compared with the product in double within the GEMM's rule
// (runtime/golden/golden.h). All later decisions are checked against the logits as the machine has them,
// because a decision has no tolerance: experts, places and counts are exact. Gates are off by 2^-24 of twice
// the largest logit, by 16 * 2^-24 for exponential, quotient and product, and by as many roundings as there
// are terms in the sum.
#pragma once

#include <vector>

#include "runtime/golden/golden.h"

namespace tahoma::workloads {

struct RoutingTensors {
  const runtime::HostTensor &logits, &chosen, &gates, &places, &counts;
  const runtime::HostTensor *x = nullptr, *w = nullptr;  // if the logits are their product
  bool normalised = true;
  std::vector<std::uint64_t> tokens_of_core{};
};

using MakerOfOutput = std::function<runtime::MadeBy(const std::string& output)>;
runtime::GoldenResult check_routing(const RoutingTensors& tensors, const MakerOfOutput& maker);

}  // namespace tahoma::workloads
