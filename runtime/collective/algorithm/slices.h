// SPDX-License-Identifier: Apache-2.0
// How a hierarchical collective cuts its data: which order of axes and which direction each channel takes,
// and how much of the data, so that the axes finish together.
//
// Of a slice that takes axis a behind axes of together m ranks, (n_a - 1) / (m n_a) crosses a. Whatever the
// order, the axes together carry (R - 1) / R of it, so the least time is (R - 1) / R over the sum of the
// rates, if the orders can be mixed such that each axis carries its part. They are mixed by the shares
// nearest to equal ones that do it (least squares, shares below 0 left out); where no mixture does, by the
// shares of a two-player game between orders and axes, played until neither gains 0.1 % by a change.
#pragma once

#include <cstdint>
#include <vector>

#include "runtime/collective/schedule/grid.h"

namespace tahoma::runtime::collective {

using AxisOrder = std::vector<std::size_t>;  // indices of the grid's axes, first to be reduced first

struct Slice {
  AxisOrder order;
  bool up = true;
  double share = 1;
};

// One per channel; shares add up to 1.
std::vector<Slice> slices_of(const Grid& grid, std::uint32_t channels);

// Shares of the data that cross each axis of the grid, both directions together, in a reduce_scatter.
std::vector<double> axis_loads(const Grid& grid, const std::vector<Slice>& slices);

}  // namespace tahoma::runtime::collective
