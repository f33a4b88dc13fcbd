// SPDX-License-Identifier: Apache-2.0
// Mesh: everyone talks to everyone directly, in rounds that do not depend on the number of ranks.
//
// reduce_scatter: every rank sends each other rank its input of that rank's chunk, which folds them all at
// once. all_gather: every rank sends everyone its chunk. all_reduce, two steps: one after the other.
// In one step (`mesh_one_step`): everyone sends everyone its whole input, and everyone folds everything: half
// the latency for R / 2 times the bytes.
// broadcast: the root deals chunks, which the ranks then exchange; reduce: reduce_scatter, then a gather.
// gather, scatter, send_recv, permute: every chunk goes straight to where it belongs (`direct`).
// all_to_all (`direct`): a turn is a round; nothing waits for the one before.
//
// Everyone takes the others in turns of equal distance along the axes, so no rank is anybody's crowd;
// channels take the distances in shifted orders, so that all links are in use at any time. Order of the sum:
// own input first, then the others in the order of their turns, in fp32, rounded once; of more than 16
// sources, once after the first 16 and after every 15 more.
#pragma once

#include "runtime/collective/algorithm/algorithm.h"

namespace tahoma::runtime::collective {

std::vector<ChannelPlan> mesh_plan(const Problem& problem, const Grid& grid, std::uint32_t channels);
std::vector<ChannelPlan> mesh_one_step_plan(const Problem& problem, const Grid& grid, std::uint32_t channels);
std::vector<ChannelPlan> direct_plan(const Problem& problem, const Grid& grid, std::uint32_t channels);

}  // namespace tahoma::runtime::collective
