// SPDX-License-Identifier: Apache-2.0
// KangaRing. The published facts are: it uses two Hamiltonian cycles, a step is one read and two writes, and
// it takes O(N/2) steps. The rest is our interpretation:
//
// Ranks are paired along the cycle (on one chip where ranks share a chip). For the chunks of every other
// pair, one rank of a pair is the head and the other its tail; for the remaining chunks the roles are
// swapped: two cycles, each over half of the ranks. Data jump from head to head, so a step covers two ranks.
//   reduce_scatter  Each tail first sends its input to its head. Then follow M - 1 = R/2 - 1 rounds: the head
//                   folds its own input, its tail's and what has arrived for the two chunks of a pair, and
//                   writes the sum to the next head. At the end it sends the tail its chunk.
//   all_gather      Each tail sends its head its chunk. Then follow M rounds: the head writes the two chunks
//                   that arrived last twice, to the next head and to its own tail. Here the two writes are
//                   two transfers, each with a read of its own.
// Order of the sum, with head h and tail t: each pair contributes (h + t), or (h + t + what arrived),
// computed in fp32 and rounded to the dtype once per jump.
//
// A jump passes the tail's chip, so between chips a link of a cycle carries up to twice the data of a ring:
// KangaRing trades bandwidth for steps, unless the pairs are on one chip. Channels use the cycles in
// rotation, in both directions; in the down direction the pairs are shifted by one.
#pragma once

#include "runtime/collective/algorithm/algorithm.h"

namespace tahoma::runtime::collective {

std::vector<ChannelPlan> kangaring_plan(const Problem& problem, const Grid& grid, std::uint32_t channels);
std::string kangaring_refusal(const Problem& problem, const Grid& grid);  // R must be even

}  // namespace tahoma::runtime::collective
