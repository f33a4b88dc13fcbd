// SPDX-License-Identifier: Apache-2.0
// Small subgraphs that mean one operation: activation functions and layer normalisations as exporters write
// them out.
#pragma once

#include <optional>
#include <vector>

#include "frontend/graph/fuse/readers.h"
#include "isa/core/instruction.h"

namespace tahoma::workloads::graph {

struct ActivationPattern {
  isa::ActFn fn = isa::ActFn::kCopy;
  std::vector<std::size_t> nodes;  // in order
  ValueId out = 0;
};
// relu, sigmoid, tanh or gelu of a value that nothing else reads, also gelu by erf and x sigmoid(x).
std::optional<ActivationPattern> match_activation(const Graph& graph, const Readers& readers, ValueId x);

// A layer norm, or one by the root of the mean square, which is not centred and has no bias.
struct NormPattern {
  ValueId x = 0, out = 0;
  std::optional<ValueId> gain, bias;
  double epsilon = 0;
  bool centred = true;
  std::vector<std::size_t> nodes;
};
// The normalisation of rows of the last dimension that begins at this node, a mean or a square, if the
// kernels take rows of that length.
std::optional<NormPattern> match_norm(const Graph& graph, const Readers& readers, std::size_t node);

}  // namespace tahoma::workloads::graph
