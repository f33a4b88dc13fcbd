// SPDX-License-Identifier: Apache-2.0
#include "frontend/graph/fuse/readers.h"

namespace tahoma::workloads::graph {

Readers::Readers(const Graph& graph) : nodes_(graph.values.size()), outputs_(graph.values.size(), false) {
  for (std::size_t n = 0; n < graph.nodes.size(); ++n)
    for (const ValueId id : graph.nodes[n].inputs)
      if (id != kOmitted && (nodes_[id].empty() || nodes_[id].back() != n)) nodes_[id].push_back(n);
  for (const ValueId id : graph.outputs) outputs_[id] = true;
}

std::optional<std::size_t> Readers::only(ValueId id) const {
  if (outputs_.at(id) || nodes_.at(id).size() != 1) return {};
  return nodes_[id].front();
}

}  // namespace tahoma::workloads::graph
