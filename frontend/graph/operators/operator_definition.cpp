// SPDX-License-Identifier: Apache-2.0
#include "frontend/graph/operators/operator_definition.h"

#include "runtime/golden/golden_rule.h"

namespace tahoma::workloads::graph {

double rounding_slack(double roundings, double size) { return runtime::accumulation_slack(roundings, size); }

void for_each_index(const Dims& dims, const std::function<void(const Dims& index, std::size_t number)>& f) {
  const std::size_t count = elements_of(dims);
  Dims index(dims.size(), 0);
  for (std::size_t number = 0; number < count; ++number) {
    f(index, number);
    for (std::size_t d = dims.size(); d-- > 0;) {
      if (++index[d] < dims[d]) break;
      index[d] = 0;
    }
  }
}

std::size_t offset_of(const Dims& dims, const Dims& index) {
  std::size_t offset = 0;
  for (std::size_t d = 0; d < dims.size(); ++d)
    offset = offset * static_cast<std::size_t>(dims[d]) + static_cast<std::size_t>(index[d]);
  return offset;
}

std::size_t broadcast_offset(const Dims& dims, const Dims& index) {
  std::size_t offset = 0;
  const std::size_t lead = index.size() - dims.size();
  for (std::size_t d = 0; d < dims.size(); ++d)
    offset = offset * static_cast<std::size_t>(dims[d]) +
             (dims[d] == 1 ? 0 : static_cast<std::size_t>(index[lead + d]));
  return offset;
}

}  // namespace tahoma::workloads::graph
