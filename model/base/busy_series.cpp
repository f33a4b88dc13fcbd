// SPDX-License-Identifier: Apache-2.0
#include "model/base/busy_series.h"

#include <algorithm>

namespace tahoma::base {

// Returns the window that contains `end` or ends there, and creates it if necessary.
std::size_t BusySeries::window_before(Time end) {
  while ((end.fs - 1) / window_.fs >= static_cast<std::int64_t>(kMostWindows)) double_window();
  const auto last = static_cast<std::size_t>((end.fs - 1) / window_.fs);
  if (busy_.size() <= last) busy_.resize(last + 1);
  return last;
}

void BusySeries::add(Time start, Time end) { add_share(start, end, end - start); }

void BusySeries::add_share(Time start, Time end, Duration busy) {
  if (end <= start || busy.fs <= 0) return;
  const Time begins{static_cast<std::int64_t>(last_) * window_.fs};
  if (last_ < busy_.size() && start >= begins && end <= begins + window_) {
    busy_[last_] += busy;
    return;
  }
  const std::size_t last = window_before(end);
  std::int64_t given = 0;  // the part of `busy` up to the end of the window
  for (auto w = static_cast<std::size_t>(start.fs / window_.fs); w <= last; ++w) {
    const std::int64_t to = std::min(end.fs, static_cast<std::int64_t>(w + 1) * window_.fs);
    // Nearly every interval is inside one window, so the remainder needs no division.
    const std::int64_t share =
        w == last
            ? busy.fs
            : static_cast<std::int64_t>(static_cast<Int128>(busy.fs) * (to - start.fs) / (end.fs - start.fs));
    busy_[w].fs += share - given;
    given = share;
  }
  last_ = last;
}

void BusySeries::double_window() {
  window_ = window_ * 2;
  for (std::size_t i = 0; i < busy_.size(); ++i) {
    const Duration value = busy_[i];
    busy_[i] = {0};
    busy_[i / 2] += value;
  }
  busy_.resize((busy_.size() + 1) / 2);
}

}  // namespace tahoma::base
