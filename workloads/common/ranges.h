// SPDX-License-Identifier: Apache-2.0
// Runs of rows or columns, and their division into tiles.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace tahoma::workloads {

struct Range {
  std::uint64_t first = 0;
  unsigned count = 0;
  std::uint64_t end() const { return first + count; }
};

inline Range all_of(std::uint64_t size) { return {0, static_cast<unsigned>(size)}; }

// Divides [first, end) into pieces of `size`; the last may be shorter.
inline std::vector<Range> cut(const Range& whole, unsigned size) {
  std::vector<Range> pieces;
  for (std::uint64_t at = whole.first; at < whole.end(); at += size)
    pieces.push_back({at, static_cast<unsigned>(std::min<std::uint64_t>(size, whole.end() - at))});
  return pieces;
}

}  // namespace tahoma::workloads
