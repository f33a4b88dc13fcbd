// SPDX-License-Identifier: Apache-2.0
// Hierarchical, rotated per axis: the only algorithm that can use all ports of a chip at once.
//
// reduce_scatter: rings along one axis, then along the next, each on the data that the previous axes
// have left: with n ranks on the first axis, (n - 1) / n of the data cross it; the next axis carries its
// share of the remaining 1 / n, and so on. all_gather: the same in reverse. all_reduce: reduce_scatter
// followed by all_gather.
//
// A slice of the data that uses another order of axes loads them differently. Channels therefore rotate the
// orders, each in both directions of the rings, and the slices are sized such that every axis is loaded in
// proportion to its rate (runtime/collective/algorithm/slices.h).
//
// Order of the sum: along each ring as in the ring algorithm (own input first, the arriving partial sum
// second). For every chunk that it sends, a rank folds what the rings of all earlier axes have left it: its
// own input, then the last arrival along the first axis, along the second, ..., in fp32, rounded once.
#pragma once

#include "runtime/collective/algorithm/algorithm.h"

namespace tahoma::runtime::collective {

std::vector<ChannelPlan> hierarchical_plan(const Problem& problem, const Grid& grid, std::uint32_t channels);

}  // namespace tahoma::runtime::collective
