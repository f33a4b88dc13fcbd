// SPDX-License-Identifier: Apache-2.0
// The definition of routing. Logits of x w are held against the product in double within the GEMM's rule
// (runtime/golden/golden.h); what follows is decided by the logits as the machine has them, because no tolerance
// survives a decision: experts, places and counts are exact; gates are off by 2^-24 of twice the largest
// logit, 16 * 2^-24 for exponential, quotient and product, and by as many roundings as terms have been added.
#pragma once

#include <vector>

#include "runtime/golden/golden.h"

namespace tahoma::workloads {

struct RoutingTensors {
  const runtime::HostTensor &logits, &chosen, &gates, &places, &counts;
  const runtime::HostTensor *x = nullptr, *w = nullptr;  // where the logits are theirs
  bool normalised = true;
  std::vector<std::uint64_t> tokens_of_core{};
};

using MakerOfOutput = std::function<runtime::MadeBy(const std::string& output)>;
runtime::GoldenResult check_routing(const RoutingTensors& tensors, const MakerOfOutput& maker);

}  // namespace tahoma::workloads
