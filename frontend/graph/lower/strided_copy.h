// SPDX-License-Identifier: Apache-2.0
// A copy between tensors in HBM whose dimensions have any strides: transposes, slices, pieces of a
// concatenation, broadcasts. Runs of neighbouring elements are moved by DMA from HBM to HBM. If the
// innermost dimensions differ, planes of 2- or 4-byte elements are transposed by the tensor engine or, small
// ones, by the DMA engines; rows whose elements have gaps or repeat are moved inside SBUF by the vector
// engine; anything else is moved element by element.
#pragma once

#include <string>

#include "frontend/graph/lower/graph_lowering.h"

namespace tahoma::workloads::graph {

// One dimension of the copy; strides are in elements, and those of the source may be 0 or negative.
struct CopyDim {
  std::int64_t count = 1, to = 0, from = 0;
};
struct CopyEnd {
  SlotId slot = 0;
  std::int64_t offset = 0;  // of the first element
};
struct StridedCopy {
  CopyEnd to, from;
  std::vector<CopyDim> dims;

  std::uint64_t elements() const;
};

// A step for some copies of one node.
void add_copies(Lowering& lowering, std::vector<StridedCopy> copies);

// The copy of a dense tensor into a dense one with dimension d of the result being dimension order[d].
void add_permute(Lowering& lowering, const TensorRef& to, const TensorRef& from,
                 const std::vector<std::size_t>& order);

}  // namespace tahoma::workloads::graph
