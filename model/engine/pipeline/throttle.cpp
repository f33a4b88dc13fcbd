// SPDX-License-Identifier: Apache-2.0
#include "model/engine/pipeline/throttle.h"

#include <algorithm>

namespace tahoma::model {

using base::Cycles;

Throttle::Throttle(bool on, Cycles window, Cycles phase, std::uint64_t share)
    : on_(on && window.count > 0),
      window_(window.count),
      phase_(phase.count),
      least_(2 * window.count * static_cast<std::int64_t>(share) / 100) {}

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

void Throttle::count(std::int64_t from, std::int64_t to, std::int64_t rate) {
  if (to <= counted_to_) return;
  worked_ += (to - std::max(from, counted_to_)) * rate;
  counted_to_ = to;
}

Cycles Throttle::stream(Cycles from, Cycles work) {
  if (!on_) return from + work;
  std::int64_t t = from.count, left = 2 * work.count;
  while (left > 0) {
    advance({t});
    const std::int64_t rate = half_rate() ? 1 : 2;  // half cycles of work per cycle
    const std::int64_t boundary = (current_ + 1) * window_ - phase_;
    const std::int64_t cycles = std::min(boundary - t, (left + rate - 1) / rate);
    count(t, t + cycles, rate);
    left -= cycles * rate;
    t += cycles;
  }
  return {t};
}

}  // namespace tahoma::model
