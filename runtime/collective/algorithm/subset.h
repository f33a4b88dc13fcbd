// SPDX-License-Identifier: Apache-2.0
// The chunks whose owners are in a box of the grid, as one ChunkSet.
#pragma once

#include <vector>

#include "runtime/collective/schedule/chunk_set.h"
#include "runtime/collective/schedule/grid.h"

namespace tahoma::runtime::collective {

struct Span {  // a range of coordinates along an axis
  std::uint32_t first = 0, count = 1;
};

// `spans` has one span per axis of the grid. Adjacent axes that are included completely form one level; at
// most three levels may remain (invariant).
ChunkSet subset(const Grid& grid, const std::vector<Span>& spans);

}  // namespace tahoma::runtime::collective
