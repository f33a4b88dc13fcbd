// SPDX-License-Identifier: Apache-2.0
#include "model/sim/known_bytes.h"

#include <algorithm>
#include <iterator>

namespace tahoma::sim {

bool KnownBytes::contains(std::uint64_t first, std::uint64_t bytes) const {
  const auto behind = ranges_.upper_bound(first);
  return behind != ranges_.begin() && std::prev(behind)->second >= first + bytes;
}

void KnownBytes::add(std::uint64_t first, std::uint64_t bytes) {
  if (bytes == 0) return;
  std::uint64_t end = first + bytes;
  auto range = ranges_.upper_bound(first);
  if (range != ranges_.begin() && std::prev(range)->second >= first) {
    --range;
    first = range->first;
  }
  while (range != ranges_.end() && range->first <= end) {
    end = std::max(end, range->second);
    range = ranges_.erase(range);
  }
  ranges_.emplace(first, end);
}

void KnownBytes::remove(std::uint64_t first, std::uint64_t bytes) {
  if (bytes == 0) return;
  const std::uint64_t end = first + bytes;
  auto range = ranges_.upper_bound(first);
  if (range != ranges_.begin() && std::prev(range)->second > first) --range;
  while (range != ranges_.end() && range->first < end) {
    const auto [from, to] = *range;
    range = ranges_.erase(range);
    if (from < first) ranges_.emplace(from, first);
    if (to > end) ranges_.emplace(end, to);
  }
}

}  // namespace tahoma::sim
