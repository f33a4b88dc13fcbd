// SPDX-License-Identifier: Apache-2.0
// Chains of elementwise operators.
#pragma once

#include "frontend/graph/fuse/fusion.h"
#include "frontend/graph/fuse/readers.h"

namespace tahoma::workloads::graph {

inline constexpr std::size_t kMostChainNodes = 24, kMostChainInputs = 8;

// Of nodes that are not taken; chains of one node are omitted.
std::vector<PlanEntry> elementwise_chains(const Graph& graph, const Readers& readers,
                                          const std::vector<bool>& taken);

}  // namespace tahoma::workloads::graph
