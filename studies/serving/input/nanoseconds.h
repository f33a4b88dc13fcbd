// SPDX-License-Identifier: Apache-2.0
// Time in the simulation of a server: whole nanoseconds from the start of the trace, or a span of them.
// Range: +-292 years. base::Duration ends after 2.5 hours, and traces of requests last days.
//
// A step takes about a millisecond, so that rounding it to a nanosecond changes it by less than 0.0001 %.
// Sums are exact, whatever their order.
#pragma once

#include <compare>
#include <cstdint>

#include "model/base/units.h"

namespace tahoma::runtime::serving {

struct Nanoseconds {
  std::int64_t count = 0;
  constexpr auto operator<=>(const Nanoseconds&) const = default;
  constexpr double seconds() const { return static_cast<double>(count) / 1e9; }
};
constexpr Nanoseconds operator+(Nanoseconds a, Nanoseconds b) { return {a.count + b.count}; }
constexpr Nanoseconds operator-(Nanoseconds a, Nanoseconds b) { return {a.count - b.count}; }

inline constexpr std::int64_t kNanosecondsPerSecond = 1'000'000'000;

// Rounded up, so that a limit or a latency is never shortened.
constexpr Nanoseconds rounded_up(base::Duration time) {
  constexpr std::int64_t kFemtoseconds = 1'000'000;
  return {(time.fs + kFemtoseconds - 1) / kFemtoseconds};
}

}  // namespace tahoma::runtime::serving
