// SPDX-License-Identifier: Apache-2.0
// Levels and counts of groups of servers over time windows of equal length. The length is a power of two of
// microseconds: whenever there would be more than kMostWindows, neighbours are merged, which is exact,
// because a window holds integrals and counts.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "model/base/units.h"
#include "studies/serving/input/nanoseconds.h"
#include "studies/serving/simulation/group_state.h"

namespace tahoma::runtime::serving {

struct WindowSums {
  std::array<base::Uint128, kLevels> integrals{};  // level times nanoseconds
  std::array<std::uint64_t, kCounts> counts{};
  WindowSums& operator+=(const WindowSums& other);
};

class WindowSeries {
 public:
  static constexpr std::size_t kMostWindows = 512;

  // The groups have been as they are since the last call. Events that were counted since then happened at the
  // time of the last call, and belong to the window that begins there or contains it.
  void advance(Nanoseconds now, const GroupStates& groups);
  // After the last advance(): adds the events of its time. An empty last window is merged with the one
  // before.
  void finish(const GroupStates& groups);

  Nanoseconds width() const { return width_; }
  Nanoseconds end() const { return last_; }
  // The windows are indexed by group, then window.
  const std::vector<std::vector<WindowSums>>& windows() const { return windows_; }
  WindowSums total(std::size_t group) const;
  // Returns the largest value of a level so far.
  std::uint64_t most(std::size_t group, Level level) const {
    return most_[group][static_cast<std::size_t>(level)];
  }

 private:
  void add_counts(const GroupStates& groups);
  void cover(Nanoseconds time);
  void halve();

  Nanoseconds width_{1000}, last_;
  std::vector<std::vector<WindowSums>> windows_;
  std::vector<std::array<std::uint64_t, kCounts>> seen_;
  std::vector<std::array<std::uint64_t, kLevels>> most_;
};

}  // namespace tahoma::runtime::serving
