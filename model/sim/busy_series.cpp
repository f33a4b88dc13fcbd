// SPDX-License-Identifier: Apache-2.0
#include "model/sim/busy_series.h"

#include <algorithm>

namespace tahoma::sim {

void BusySeries::add(base::Time start, base::Time end) {
  if (end <= start) return;
  while ((end.fs - 1) / window_.fs >= static_cast<std::int64_t>(kMostWindows)) double_window();
  const auto last = static_cast<std::size_t>((end.fs - 1) / window_.fs);
  if (busy_.size() <= last) busy_.resize(last + 1);
  for (auto w = static_cast<std::size_t>(start.fs / window_.fs); w <= last; ++w) {
    const std::int64_t from = std::max(start.fs, static_cast<std::int64_t>(w) * window_.fs);
    const std::int64_t to = std::min(end.fs, static_cast<std::int64_t>(w + 1) * window_.fs);
    busy_[w].fs += to - from;
  }
}

void BusySeries::double_window() {
  window_ = window_ * 2;
  for (std::size_t i = 0; i < busy_.size(); ++i) {
    const base::Duration value = busy_[i];
    busy_[i] = {0};
    busy_[i / 2] += value;
  }
  busy_.resize((busy_.size() + 1) / 2);
}

}  // namespace tahoma::sim
