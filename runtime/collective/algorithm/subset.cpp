// SPDX-License-Identifier: Apache-2.0
#include "runtime/collective/algorithm/subset.h"

#include "model/base/error.h"

namespace tahoma::runtime::collective {

ChunkSet subset(const Grid& grid, const std::vector<Span>& spans) {
  ChunkSet set;
  std::size_t level = set.levels.size();  // axes are listed by ascending stride, levels outermost first
  for (std::size_t a = 0; a < grid.axes.size(); ++a) {
    const GridAxis& axis = grid.axes[a];
    set.first += spans[a].first * axis.stride;
    if (spans[a].count == 1) continue;
    if (level < set.levels.size()) {
      ChunkSet::Level& inner = set.levels[level];
      if (inner.count * inner.stride == axis.stride) {
        inner.count *= spans[a].count;
        continue;
      }
    }
    TAHOMA_INVARIANT(level > 0, "a box of a grid with more than three levels");
    set.levels[--level] = {spans[a].count, axis.stride};
  }
  return set;
}

}  // namespace tahoma::runtime::collective
