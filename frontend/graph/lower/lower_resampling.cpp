// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "frontend/graph/lower/lower_nodes.h"
#include "frontend/graph/lower/strided_copy.h"
#include "frontend/graph/operators/resampling.h"

namespace tahoma::workloads::graph {

void lower_blocks(const NodeView& node, Lowering& lowering) {
  const BlockMove move = block_move(node);
  const TensorRef from = lowering.tensor(node.id(0)), to = lowering.result(node.node().outputs[0]);
  Dims dims;
  for (const std::size_t d : move.order) dims.push_back(move.from[d]);
  add_permute(lowering, {to.slot, dims}, {from.slot, move.from}, move.order);
}

void lower_resize(const NodeView& node, Lowering& lowering) {
  const std::vector<std::vector<std::int64_t>> pixels = nearest_pixels(node);
  const TensorRef from = lowering.tensor(node.id(0)), to = lowering.result(node.node().outputs[0]);
  const std::vector<std::int64_t> of_to = row_major_strides(to.dims), of_from = row_major_strides(from.dims);
  StridedCopy copy{{to.slot, 0}, {from.slot, 0}, {}};
  for (std::size_t d = 0; d < to.dims.size(); ++d) {
    const std::int64_t repeats =
        to.dims[d] > from.dims[d] && from.dims[d] > 0 ? to.dims[d] / from.dims[d] : 1;
    const std::int64_t step =
        to.dims[d] > repeats ? pixels[d][static_cast<std::size_t>(repeats)] - pixels[d][0] : 1;
    node.require(repeats_evenly(pixels[d], from.dims[d]), "E-ONX-010",
                 fmt::format("resizes {} to {} unevenly", text_of(from.dims), text_of(to.dims)));
    copy.from.offset += pixels[d].empty() ? 0 : pixels[d][0] * of_from[d];
    copy.dims.push_back({to.dims[d] / repeats, of_to[d] * repeats, step * of_from[d]});
    copy.dims.push_back({repeats, of_to[d], 0});
  }
  add_copies(lowering, {copy});
}

}  // namespace tahoma::workloads::graph
