// SPDX-License-Identifier: Apache-2.0
#include "frontend/nki/lower/memory/address_space.h"

#include <deque>

namespace tahoma::runtime::nki {

std::optional<std::int64_t> AddressSpace::find(std::int64_t bytes, std::int64_t now, std::int64_t until,
                                               Fit fit) const {
  const std::int64_t need = units(bytes), count = static_cast<std::int64_t>(last_use_.size());
  std::vector<std::int64_t> last_use = last_use_;
  for (const Placed& p : placed_)
    if (p.first <= until && now <= p.last)
      std::fill(last_use.begin() + p.begin, last_use.begin() + p.end, INT64_MAX);
  std::deque<std::int64_t> largest;  // indices of descending last uses in the window that ends at `u`
  std::optional<std::int64_t> best;
  std::int64_t best_use = now;
  for (std::int64_t u = 0; u < count; ++u) {
    while (!largest.empty() &&
           last_use[static_cast<std::size_t>(largest.back())] <= last_use[static_cast<std::size_t>(u)])
      largest.pop_back();
    largest.push_back(u);
    const std::int64_t first = u - need + 1;
    if (first < 0) continue;
    if (largest.front() < first) largest.pop_front();
    const std::int64_t use = last_use[static_cast<std::size_t>(largest.front())];
    const bool crosses = first % bank_ != 0 && first / bank_ != u / bank_;
    if (crosses || use >= (fit == Fit::kHighest ? now : best_use)) continue;
    best = first * unit_;
    best_use = use;
    if (fit == Fit::kLowest || (fit == Fit::kLongestUnused && use == kNever)) break;
  }
  return best;
}

}  // namespace tahoma::runtime::nki
