// SPDX-License-Identifier: Apache-2.0
// Hierarchical, rotated per axis: the one that can fill all ports of a chip at once.
//
// reduce_scatter: rings along one axis, then along the next, each on what the ones before have left: with n
// ranks on the first axis (n - 1) / n of the data cross it, of the remaining 1 / n the next axis carries its
// share, and so on. all_gather: the same backwards. all_reduce: one after the other.
// A slice of the data that takes the axes in another order loads them differently, so channels take the
// orders in turn, each in both directions of the rings, and the slices are sized such that every axis is
// loaded in proportion to its rate (runtime/collective/algorithm/slices.h).
//
// Order of the sum: along each ring as in a ring (own first, the partial sum that arrives second); a rank
// folds what the rings of all earlier axes have left it anew for every chunk that it sends: own, then what
// arrived last along the first axis, along the second, ..., in fp32, rounded once.
#pragma once

#include "runtime/collective/algorithm/algorithm.h"

namespace tahoma::runtime::collective {

std::vector<ChannelPlan> hierarchical_plan(const Problem& problem, const Grid& grid, std::uint32_t channels);

}  // namespace tahoma::runtime::collective
