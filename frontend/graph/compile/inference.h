// SPDX-License-Identifier: Apache-2.0
// From a graph as it was read to one whose values all have a type: sizes are bound, operators that are
// missing are named together, operators that others express are expanded (frontend/graph/expand), types are
// inferred in order, and values that follow from constants or shapes become constants. Nodes that no output
// needs are dropped.
#pragma once

#include <map>
#include <string>

#include "frontend/graph/model/graph.h"
#include "frontend/graph/operators/operator_definition.h"

namespace tahoma::workloads::graph {

struct Sizes {
  std::int64_t batch = 0;                     // dimension 0 of every input; 0: that of the file
  std::map<std::string, std::int64_t> named;  // of dimensions with names
  std::int64_t parts = 1;                     // the batch is divided among this many cores
};

// Throws UserError E-ONX-003 with all operators that are missing, E-ONX-004 for sizes that are unknown or
// contradict, E-ONX-007 for more elements than a tensor may have, and the errors of the operators. The graph
// must stay where it is: constants refer to it.
void infer_types(Graph& graph, const Sizes& sizes);

// The outputs of a node by its definition.
std::vector<Wanted> defined(const Graph& graph, const Node& node, const Inputs& in);

}  // namespace tahoma::workloads::graph
