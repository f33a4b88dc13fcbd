// SPDX-License-Identifier: Apache-2.0
#include "report/text/saturation.h"

#include <fmt/format.h>

#include <algorithm>

#include "model/base/shares.h"
#include "runtime/host/text/format.h"

namespace tahoma::runtime {

using base::Duration;

namespace {

constexpr std::int64_t kMostWindows = 256;

// A series stops doubling its window when its resource becomes inactive; all series are compared
// at the run's own window.
base::Series coarsened(base::Series series, Duration elapsed, Duration shortest) {
  while (series.window.fs > 0 && (series.window < shortest || series.window * kMostWindows < elapsed)) {
    const std::size_t half = (series.busy.size() + 1) / 2;
    for (std::size_t i = 0; i < half; ++i) {
      const Duration second = 2 * i + 1 < series.busy.size() ? series.busy[2 * i + 1] : Duration{0};
      series.busy[i] = series.busy[2 * i] + second;
    }
    series.busy.resize(half);
    series.window += series.window;
  }
  return series;
}

}  // namespace

std::vector<WindowShare> windows_of(const base::Series& series, Duration elapsed, Duration shortest) {
  const base::Series windows = coarsened(series, elapsed, shortest);
  std::vector<WindowShare> shares;
  if (windows.window.fs <= 0) return shares;
  for (Duration start{0}; start < elapsed; start += windows.window) {
    const std::size_t n = shares.size();
    const Duration length = std::min(windows.window, elapsed - start);
    const Duration busy = n < windows.busy.size() ? windows.busy[n] : Duration{0};
    shares.push_back({start, length, percent_of(busy, length)});
  }
  return shares;
}

std::string saturation_text(Duration elapsed) {
  Duration window = kSaturationWindow;
  while (window * kMostWindows < elapsed) window += window;
  return fmt::format("busy >= {:.0f} % of {}", 100 * kSaturatedShare, time_text(std::min(window, elapsed)));
}

std::uint64_t saturated_windows(const base::Series& series, Duration elapsed) {
  const base::Series windows = coarsened(series, elapsed, kSaturationWindow);
  if (windows.window.fs <= 0 || elapsed.fs <= 0) return 0;
  const Duration length = std::min(windows.window, elapsed);
  const auto whole = static_cast<std::size_t>(std::max<std::int64_t>(1, elapsed.fs / windows.window.fs));
  std::uint64_t saturated = 0;
  for (std::size_t i = 0; i < std::min(whole, windows.busy.size()); ++i)
    if (static_cast<double>(windows.busy[i].fs) >= kSaturatedShare * static_cast<double>(length.fs))
      ++saturated;
  return saturated;
}

}  // namespace tahoma::runtime
