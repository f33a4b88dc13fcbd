// SPDX-License-Identifier: Apache-2.0
// Binomial trees and dissemination: about log2 R rounds, for small messages.
//
// broadcast: in round k, the first 2^k ranks, which have the data, send them 2^k ranks further. Ranks count
// from the root along the axes of the grid, so the tree of every root is that of rank 0, shifted. reduce: the
// same tree in reverse; a rank folds its own input and those of its children, farthest first, and rounds
// once. all_reduce: reduce followed by broadcast. barrier and all_gather (`dissemination`): in round k, rank
// r sends the 2^k tokens of r - 2^k + 1 .. r, which it holds by then, to rank r + 2^k; in the last round only
// the missing ones.
#pragma once

#include "runtime/collective/algorithm/algorithm.h"

namespace tahoma::runtime::collective {

std::vector<ChannelPlan> tree_plan(const Problem& problem, const Grid& grid, std::uint32_t channels);
std::vector<ChannelPlan> dissemination_plan(const Problem& problem, const Grid& grid, std::uint32_t channels);

}  // namespace tahoma::runtime::collective
