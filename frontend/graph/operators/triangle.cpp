// SPDX-License-Identifier: Apache-2.0
#include "frontend/graph/operators/movement.h"

namespace tahoma::workloads::graph {

Triangle triangle_of(const NodeView& node) {
  return {node.integer("upper", 1) != 0, node.has(1) ? node.integers(1).at(0) : 0};
}

std::vector<Wanted> define_triangle(const NodeView& node, const Inputs& in,
                                    const std::vector<TensorType>& outputs) {
  node.require(node.rank(0) >= 2, "E-ONX-004", "has no matrix");
  Wanted wanted{{outputs[0], in[0]->values}, {}};
  const Triangle triangle = triangle_of(node);
  const std::int64_t rows = outputs[0].dims[outputs[0].dims.size() - 2], columns = outputs[0].dims.back();
  for (std::size_t i = 0; i < wanted.array.values.size(); ++i) {
    const auto at = static_cast<std::int64_t>(i) % (rows * columns);
    if (!triangle.has(at / columns, at % columns)) wanted.array.values[i] = 0;
  }
  return {wanted};
}

}  // namespace tahoma::workloads::graph
