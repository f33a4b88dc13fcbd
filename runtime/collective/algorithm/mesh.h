// SPDX-License-Identifier: Apache-2.0
// Mesh: every rank communicates with every other directly, in a number of rounds that does not depend
// on the number of ranks.
//
// reduce_scatter: every rank sends each other rank its input for that rank's chunk; the receiver folds all
// inputs at once. all_gather: every rank sends its chunk to all others. all_reduce, two steps: reduce_scatter
// followed by all_gather. Inside a chip, the inputs of both are lent, unless they are sent (Inputs): the rank
// that folds reads them where they are, as the vendor describes for all_reduce
// (intranode-collective-comm.rst). Not modelled: the vendor's first step over several chips, which folds the
// inputs of a chip before they leave it.
// In one step (`mesh_one_step`): every rank sends its whole input to all others, and every rank folds
// everything: half the latency for R / 2 times the bytes.
// broadcast: the root scatters chunks, which the ranks then exchange; reduce: reduce_scatter, then a gather
// (both number the chunks from the root). gather, scatter, send_recv, permute: every chunk goes to its
// destination (`direct`). all_to_all (`direct`): a turn is a round; no round waits for the previous one.
//
// A rank that does not reach another one (Grid::apart) sends what it has for that one through a third, which
// reaches both, in two rounds behind the others (`direct`).
//
// Every rank serves the others in turns of equal distance along the axes, so no receiver is congested;
// channels use the distances in shifted orders, so all links are in use at any time. Order of the sum: own
// input first, then the others in the order of their turns, in fp32, rounded once; with more than 16 sources,
// once after the first 16 and after every 15 more.
#pragma once

#include "runtime/collective/algorithm/algorithm.h"

namespace tahoma::runtime::collective {

std::vector<ChannelPlan> mesh_plan(const Problem& problem, const Grid& grid, std::uint32_t channels);
std::vector<ChannelPlan> mesh_one_step_plan(const Problem& problem, const Grid& grid, std::uint32_t channels);
std::vector<ChannelPlan> direct_plan(const Problem& problem, const Grid& grid, std::uint32_t channels);

}  // namespace tahoma::runtime::collective
