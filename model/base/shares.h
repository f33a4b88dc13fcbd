// SPDX-License-Identifier: Apache-2.0
// Shares of a time or of a bandwidth, and rates over a time.
#pragma once

#include <cstdint>
#include <optional>

#include "model/base/units.h"

namespace tahoma::base {

// Returns 0 if the whole is 0.
inline double percent_of(Duration part, Duration whole) {
  return whole.fs <= 0 ? 0 : 100.0 * static_cast<double>(part.fs) / static_cast<double>(whole.fs);
}
inline double percent_of(double part, double whole) { return whole > 0 ? 100 * part / whole : 0; }

// Returns 0 if the time is 0.
inline double per_second(double amount, Duration elapsed) {
  return elapsed.fs <= 0 ? 0 : amount / elapsed.seconds();
}

// Bytes that a bandwidth moves in a time; 0 if the bandwidth is ideal or the time is 0.
inline std::optional<double> capacity(const Bandwidth& peak, Duration elapsed) {
  const double most = static_cast<double>(peak.bytes_per_second) * elapsed.seconds();
  if (peak.ideal || most <= 0) return std::nullopt;
  return most;
}
inline std::optional<double> achieved_share(std::uint64_t bytes, const Bandwidth& peak, Duration elapsed) {
  const std::optional<double> most = capacity(peak, elapsed);
  if (!most) return std::nullopt;
  return static_cast<double>(bytes) / *most;
}
// Returns 0 if the peak is ideal.
inline double achieved_percent(std::uint64_t bytes, const Bandwidth& peak, Duration elapsed) {
  return percent_of(static_cast<double>(bytes), capacity(peak, elapsed).value_or(0));
}

}  // namespace tahoma::base
