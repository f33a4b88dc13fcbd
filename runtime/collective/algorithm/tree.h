// SPDX-License-Identifier: Apache-2.0
// Binomial trees and dissemination: about log2 R rounds, for small messages.
//
// broadcast: in round k the 2^k ranks nearest behind the root (counted upwards, modulo R) that have the data
// send them 2^k ranks further. reduce: the same tree backwards; a rank folds its own input and its
// children's, farthest first, and rounds once. all_reduce: up and down again. barrier and all_gather
// (`dissemination`): in round k rank r sends the 2^k tokens of r - 2^k + 1 .. r, which it has by then, to
// rank r + 2^k; in the last round as many as are missing.
#pragma once

#include "runtime/collective/algorithm/algorithm.h"

namespace tahoma::runtime::collective {

std::vector<ChannelPlan> tree_plan(const Problem& problem, const Grid& grid, std::uint32_t channels);
std::vector<ChannelPlan> dissemination_plan(const Problem& problem, const Grid& grid, std::uint32_t channels);

}  // namespace tahoma::runtime::collective
