// SPDX-License-Identifier: Apache-2.0
#include "frontend/nki/lower/rectangles.h"

#include <algorithm>
#include <utility>

namespace tahoma::runtime::nki {

namespace {

// The part of a rectangle inside another one; it has no bytes if there is none.
Region common(const Region& a, const Region& b) {
  const std::uint32_t row = std::max(a.row, b.row), end_row = std::min(a.row + a.rows, b.row + b.rows);
  const std::uint64_t byte = std::max(a.byte, b.byte), end = std::min(a.byte + a.bytes, b.byte + b.bytes);
  if (a.buffer != b.buffer || row >= end_row || byte >= end) return {};
  return {a.buffer, row, end_row - row, byte, end - byte};
}

// Adds what remains of a rectangle without the part `hole` of it: above, below, and on both sides.
void add_around(const Region& r, const Region& hole, std::vector<Region>& remaining) {
  const auto add = [&](std::uint32_t row, std::uint32_t end_row, std::uint64_t byte, std::uint64_t end) {
    if (row < end_row && byte < end) remaining.push_back({r.buffer, row, end_row - row, byte, end - byte});
  };
  const std::uint32_t hole_end = hole.row + hole.rows;
  add(r.row, hole.row, r.byte, r.byte + r.bytes);
  add(hole_end, r.row + r.rows, r.byte, r.byte + r.bytes);
  add(hole.row, hole_end, r.byte, hole.byte);
  add(hole.row, hole_end, hole.byte + hole.bytes, r.byte + r.bytes);
}

}  // namespace

std::uint64_t area_of(const Region& rectangle) { return rectangle.rows * rectangle.bytes; }

std::vector<Region> rectangles_of(const Region& region) {
  std::vector<Region> columns;
  const std::uint64_t step = region.step == 0 ? region.bytes : region.step;
  for (std::uint64_t at = 0; at < region.bytes; at += step)
    columns.push_back({region.buffer, region.row, region.rows, region.byte + at,
                       std::min(region.step == 0 ? region.bytes : region.width, region.bytes - at)});
  return columns;
}

std::uint64_t common_bytes(const std::vector<Region>& a, const std::vector<Region>& b) {
  std::uint64_t bytes = 0;
  for (const Region& x : a)
    for (const Region& y : b) bytes += area_of(common(x, y));
  return bytes;
}

std::vector<Region> without(const std::vector<Region>& rectangles, const std::vector<Region>& holes) {
  std::vector<Region> left = rectangles;
  for (const Region& hole : holes) {
    std::vector<Region> remaining;
    for (const Region& r : left) {
      const Region inside = common(r, hole);
      if (area_of(inside) == 0)
        remaining.push_back(r);
      else
        add_around(r, inside, remaining);
    }
    left = std::move(remaining);
  }
  return left;
}

}  // namespace tahoma::runtime::nki
