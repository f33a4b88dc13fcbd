// SPDX-License-Identifier: Apache-2.0
#include "model/engine/pipeline/throttle.h"

#include <algorithm>

#include "isa/table/table_fields.h"

namespace tahoma::model {

using base::Cycles;

Throttle::Throttle(bool on, Cycles window, Cycles phase, std::uint64_t share, unsigned rows,
                   unsigned measured)
    : on_(on && window.count > 0),
      window_(window.count),
      phase_(phase.count),
      tile_(isa::tile_size(0, rows)),
      least_(2 * window.count * static_cast<std::int64_t>(share) / 100 * std::min(rows, measured)),
      counted_to_((rows + tile_ - 1) / tile_) {}

bool Throttle::half_rate() const { return on_ && last_ <= least_; }

void Throttle::advance(Cycles t) {
  const std::int64_t window = (t.count + phase_) / window_;
  if (window <= current_) return;
  last_ = window == current_ + 1 ? worked_ : 0;
  worked_ = 0;
  current_ = window;
}

bool Throttle::throttled(Cycles t) {
  if (!on_) return false;
  advance(t);
  return half_rate();
}

void Throttle::count(std::int64_t from, std::int64_t to, std::int64_t rate, Rows rows) {
  for (unsigned q = 0; q < counted_to_.size(); ++q) {
    const unsigned first = std::max(rows.first, q * tile_);
    const unsigned last = std::min(rows.first + rows.count, (q + 1) * tile_);
    if (first >= last || to <= counted_to_[q]) continue;
    worked_ += (to - std::max(from, counted_to_[q])) * rate * (last - first);
    counted_to_[q] = to;
  }
}

Cycles Throttle::stream(Cycles from, Cycles work, Rows rows) {
  if (!on_) return from + work;
  std::int64_t t = from.count, left = 2 * work.count;
  while (left > 0) {
    advance({t});
    const std::int64_t rate = half_rate() ? 1 : 2;  // half cycles of work per cycle
    const std::int64_t boundary = (current_ + 1) * window_ - phase_;
    const std::int64_t cycles = std::min(boundary - t, (left + rate - 1) / rate);
    count(t, t + cycles, rate, rows);
    left -= cycles * rate;
    t += cycles;
  }
  return {t};
}

}  // namespace tahoma::model
