// SPDX-License-Identifier: Apache-2.0
// Which nodes become one entry of the plan, so that values between them stay on chip:
// - a product or a convolution with what follows on its way out of PSUM: a constant bias, an activation
//   function, a residual;
// - attention: two products with a softmax between them, and what moves or scales their operands. The entry's
//   nodes may also be entries of their own, for other readers;
// - a layer norm, or one by the root of the mean square, that is written out;
// - a chain of elementwise operators whose intermediate values have one size and only readers in the chain.
// All other nodes are entries of their own. An entry stands where its last node was.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "frontend/graph/lower/graph_lowering.h"

namespace tahoma::workloads::graph {

struct PlanEntry {
  std::string name, op;
  std::vector<std::size_t> nodes;  // in order; only the last one's output is stored
  std::function<void(Lowering&)> lower;
  std::optional<NodeSlack> slack{};
};

enum class Fusion : std::uint8_t { kOff, kOn };

// Of the nodes that are not known before the run. The graph must outlive the entries.
std::vector<PlanEntry> plan_entries(const Graph& graph, Fusion fusion);

}  // namespace tahoma::workloads::graph
