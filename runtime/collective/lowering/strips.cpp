// SPDX-License-Identifier: Apache-2.0
#include "runtime/collective/lowering/strips.h"

#include "model/base/error.h"

namespace tahoma::runtime::collective {

std::uint32_t span_of(const ChunkSet& chunks) {
  std::uint32_t span = 1;
  for (const ChunkSet::Level& level : chunks.levels) span += (level.count - 1) * level.stride;
  return span;
}

HbmView cut(const Strip& strip, std::uint64_t place, std::uint64_t first, std::uint64_t count) {
  TAHOMA_INVARIANT(place < strip.places, "a chunk outside the strip of a rank");
  HbmView view = strip.block;
  view.columns = count;
  view.offset += (strip.start(place) + first) * isa::size_of(view.dtype);
  return view;
}

HbmView spread(HbmView view, const ChunkSet& chunks, std::int64_t pitch, std::uint32_t stride) {
  std::vector<HbmView::Repeat> levels;
  for (const ChunkSet::Level& level : chunks.levels)
    if (level.count > 1) levels.push_back({level.count, level.stride / stride * pitch});
  if (!levels.empty()) {
    view.rows = levels.back().count;
    view.row_stride = levels.back().stride;
    levels.pop_back();
  }
  TAHOMA_INVARIANT(levels.size() <= view.repeats.size(),
                   "a set of chunks with more levels than a transfer has");
  for (std::size_t i = 0; i < levels.size(); ++i)
    view.repeats[view.repeats.size() - levels.size() + i] = levels[i];
  return view;
}

std::uint64_t aligned(std::uint64_t elements, isa::DType dtype) {
  constexpr std::uint64_t kAccess = 64;
  const std::uint64_t granule = kAccess / isa::size_of(dtype);
  return (elements + granule - 1) / granule * granule;
}

}  // namespace tahoma::runtime::collective
