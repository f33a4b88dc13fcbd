// SPDX-License-Identifier: Apache-2.0
#include "studies/serving/results/window_series.h"

#include <algorithm>

namespace tahoma::runtime::serving {

WindowSums& WindowSums::operator+=(const WindowSums& other) {
  for (std::size_t n = 0; n < kLevels; ++n) integrals[n] += other.integrals[n];
  for (std::size_t n = 0; n < kCounts; ++n) counts[n] += other.counts[n];
  return *this;
}

void WindowSeries::halve() {
  width_.count *= 2;
  for (std::vector<WindowSums>& windows : windows_) {
    for (std::size_t n = 0; n < windows.size(); ++n)
      if (n % 2 == 0)
        windows[n / 2] = windows[n];
      else
        windows[n / 2] += windows[n];
    windows.resize((windows.size() + 1) / 2);
  }
}

// Makes the windows up to the one that contains `time`.
void WindowSeries::cover(Nanoseconds time) {
  while (static_cast<std::uint64_t>(time.count / width_.count) >= kMostWindows) halve();
  const auto needed = static_cast<std::size_t>(time.count / width_.count) + 1;
  for (std::vector<WindowSums>& windows : windows_) windows.resize(std::max(windows.size(), needed));
}

void WindowSeries::add_counts(const GroupStates& groups) {
  const auto at = static_cast<std::size_t>(last_.count / width_.count);
  for (std::size_t g = 0; g < groups.size(); ++g)
    for (std::size_t n = 0; n < kCounts; ++n) {
      windows_[g][at].counts[n] += groups[g].counts[n] - seen_[g][n];
      seen_[g][n] = groups[g].counts[n];
    }
}

void WindowSeries::advance(Nanoseconds now, const GroupStates& groups) {
  if (windows_.empty()) {
    windows_.resize(groups.size());
    seen_.resize(groups.size());
    most_.resize(groups.size());
    cover(last_);
  }
  cover(now);
  add_counts(groups);
  for (std::size_t g = 0; g < groups.size(); ++g)
    for (std::size_t n = 0; n < kLevels; ++n) most_[g][n] = std::max(most_[g][n], groups[g].levels[n]);
  while (last_ < now) {
    const std::int64_t at = last_.count / width_.count;
    const std::int64_t until = std::min(now.count, (at + 1) * width_.count);
    for (std::size_t g = 0; g < groups.size(); ++g)
      for (std::size_t n = 0; n < kLevels; ++n)
        windows_[g][static_cast<std::size_t>(at)].integrals[n] +=
            base::Uint128{groups[g].levels[n]} * static_cast<std::uint64_t>(until - last_.count);
    last_ = {until};
  }
}

void WindowSeries::finish(const GroupStates& groups) {
  advance(last_, groups);
  for (std::vector<WindowSums>& windows : windows_)
    if (last_.count % width_.count == 0 && windows.size() > 1) {
      const WindowSums last = windows.back();
      windows.pop_back();
      windows.back() += last;
    }
}

WindowSums WindowSeries::total(std::size_t group) const {
  WindowSums sum;
  for (const WindowSums& window : windows_[group]) sum += window;
  return sum;
}

}  // namespace tahoma::runtime::serving
