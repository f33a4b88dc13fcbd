// SPDX-License-Identifier: Apache-2.0
#include "frontend/nki/record/overlap.h"

#include <algorithm>

namespace tahoma::runtime::nki {

namespace {

// Partitions and bytes of a partition, each from the first to behind the last.
struct Box {
  std::int64_t partition, end_partition, byte, end_byte;
};

Box box_of(const View& view) {
  const Place place = view.storage->place.value_or(Place{});
  std::int64_t low = view.offset, high = view.offset;
  for (std::size_t d = 1; d < view.dims.size(); ++d) {
    const std::int64_t reach = view.dims[d].stride * (view.dims[d].count - 1);
    (reach < 0 ? low : high) += reach;
  }
  const std::int64_t first = view.partition + place.partition, size = view.element->bytes;
  return {first, first + view.dims[0].stride * (view.dims[0].count - 1) + 1, place.byte + low * size,
          place.byte + (high + 1) * size};
}

}  // namespace

bool same_elements(const View& a, const View& b) {
  const bool fixed = a.dynamic.kind == Dynamic::Kind::kNone && b.dynamic.kind == Dynamic::Kind::kNone;
  const auto same = [](const Dim& x, const Dim& y) {  // the stride of a single element does not matter
    return x.count == y.count && (x.count == 1 || x.stride == y.stride);
  };
  return &a == &b || (fixed && a.storage == b.storage && a.element == b.element &&
                      a.partition == b.partition && a.offset == b.offset &&
                      std::equal(a.dims.begin(), a.dims.end(), b.dims.begin(), b.dims.end(), same));
}

bool overlap(const View& a, const View& b) {
  if (same_elements(a, b) || !a.on_chip() || a.storage->buffer != b.storage->buffer) return false;
  if (a.storage != b.storage && (!a.storage->place || !b.storage->place)) return false;
  const Box x = box_of(a), y = box_of(b);
  return x.partition < y.end_partition && y.partition < x.end_partition && x.byte < y.end_byte &&
         y.byte < x.end_byte;
}

}  // namespace tahoma::runtime::nki
