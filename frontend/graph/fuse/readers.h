// SPDX-License-Identifier: Apache-2.0
// Who reads each value of a graph.
#pragma once

#include <optional>
#include <vector>

#include "frontend/graph/operators/node_view.h"

namespace tahoma::workloads::graph {

class Readers {
 public:
  explicit Readers(const Graph& graph);

  const std::vector<std::size_t>& of(ValueId id) const { return nodes_.at(id); }
  bool is_output(ValueId id) const { return outputs_.at(id); }
  // The only node that reads a value which the graph does not return.
  std::optional<std::size_t> only(ValueId id) const;

 private:
  std::vector<std::vector<std::size_t>> nodes_;  // by value, each node once
  std::vector<bool> outputs_;
};

}  // namespace tahoma::workloads::graph
