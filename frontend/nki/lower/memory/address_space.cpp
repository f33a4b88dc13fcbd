// SPDX-License-Identifier: Apache-2.0
#include "frontend/nki/lower/memory/address_space.h"

namespace tahoma::runtime::nki {

std::optional<std::int64_t> AddressSpace::find(std::int64_t bytes, std::int64_t now, std::int64_t until,
                                               Fit fit) {
  const std::int64_t need = units(bytes), count = static_cast<std::int64_t>(last_use_.size());
  const std::int64_t* last_use = last_use_.data();
  if (!placed_.empty()) {
    merged_ = last_use_;
    for (const Placed& p : placed_)
      if (p.first <= until && now <= p.last)
        std::fill(merged_.begin() + p.begin, merged_.begin() + p.end, INT64_MAX);
    last_use = merged_.data();
  }
  window_.resize(last_use_.size());
  std::int64_t* const window = window_.data();  // units of descending last uses, up to `u`: [head, tail)
  std::int64_t head = 0, tail = 0;
  std::optional<std::int64_t> best;
  std::int64_t best_use = now;
  for (std::int64_t u = 0; u < count; ++u) {
    while (tail > head && last_use[window[tail - 1]] <= last_use[u]) --tail;
    window[tail++] = u;
    const std::int64_t first = u - need + 1;
    if (first < 0) continue;
    if (window[head] < first) ++head;
    const std::int64_t use = last_use[window[head]];
    if (use >= (fit == Fit::kHighest ? now : best_use)) continue;
    if (first % bank_ != 0 && first / bank_ != u / bank_) continue;
    best = first * unit_;
    best_use = use;
    if (fit == Fit::kLowest || (fit == Fit::kLongestUnused && use == kNever)) break;
  }
  return best;
}

}  // namespace tahoma::runtime::nki
