// SPDX-License-Identifier: Apache-2.0
// The golden check of a graph, node by node (frontend/graph/workload/graph_workload.h).
#pragma once

#include <functional>

#include "frontend/graph/compile/compile.h"
#include "runtime/golden/golden_result.h"

namespace tahoma::workloads::graph {

// The machine's bytes of a slot.
using SlotBytes = std::function<const std::byte*(SlotId)>;

// Nodes that read or store a slot which is not intact are left out. `core` names the core in mismatches.
runtime::GoldenResult check_nodes(const CompiledGraph& compiled, const SlotBytes& bytes,
                                  const std::function<bool(SlotId)>& intact, const std::string& core);

}  // namespace tahoma::workloads::graph
