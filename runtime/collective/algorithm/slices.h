// SPDX-License-Identifier: Apache-2.0
// How a hierarchical collective slices its data: the order of axes, the direction and the share of the data
// of each channel, chosen so that the axes finish together.
//
// For a slice that uses axis a after axes with m ranks in total, (n_a - 1) / (m n_a) of the data cross a.
// For any order, the axes together carry (R - 1) / R of it, so the minimum time is (R - 1) / R over the sum
// of the rates, if the orders can be mixed such that each axis carries its part. The mixture uses the
// shares nearest to equal ones that achieve this (least squares, shares below 0 excluded); if no mixture
// does, it uses the shares of a two-player game between orders and axes, iterated until neither player
// gains 0.1 % by a change.
#pragma once

#include <cstdint>
#include <vector>

#include "runtime/collective/schedule/grid.h"

namespace tahoma::runtime::collective {

using AxisOrder = std::vector<std::size_t>;  // indices of the grid's axes, in the order of reduction

struct Slice {
  AxisOrder order;
  bool up = true;
  double share = 1;
};

// Returns one slice per channel; the shares sum to 1.
std::vector<Slice> slices_of(const Grid& grid, std::uint32_t channels);

// The share of the data that crosses each axis of the grid, both directions together, in a reduce_scatter.
std::vector<double> axis_loads(const Grid& grid, const std::vector<Slice>& slices);

}  // namespace tahoma::runtime::collective
