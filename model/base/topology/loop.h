// SPDX-License-Identifier: Apache-2.0
// Positions for drawings of topologies without a grid: evenly spaced around a square, at least one step apart
// along its sides.
#pragma once

#include <cstdint>
#include <utility>

namespace tahoma::base {

constexpr std::uint32_t side_of_loop(std::uint32_t places) { return places < 8 ? 2 : (places + 3) / 4; }

// Returns the (column, row) of position `n`, clockwise from the upper left corner.
constexpr std::pair<double, double> on_loop(std::uint32_t n, std::uint32_t places) {
  const double side = side_of_loop(places), way = 4 * side * n / places;
  if (way < side) return {way, 0};
  if (way < 2 * side) return {side, way - side};
  if (way < 3 * side) return {3 * side - way, side};
  return {0, 4 * side - way};
}

}  // namespace tahoma::base
