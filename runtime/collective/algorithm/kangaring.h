// SPDX-License-Identifier: Apache-2.0
// KangaRing: what is public of it is that it goes over two Hamiltonian cycles, that a step is one read and
// two writes, and that it takes O(N/2) steps. The rest is our reading:
//
// Ranks are paired along the cycle (on one chip where ranks share a chip). For the chunks of every other pair
// one of a pair is the head and the other its tail, for the rest the other way round: two cycles, each over
// half of the ranks. Data jump from head to head, so a step covers two ranks.
//   reduce_scatter  each tail first pushes its input to its head. Then M - 1 = R/2 - 1 rounds: the head folds
//   its
//                   own input, its tail's and what has arrived for the two chunks of a pair, and writes the
//                   sum to the next head. At the end it hands the tail its chunk.
//   all_gather      each tail gives its head its chunk. Then M rounds, in each of which the head writes the
//   two
//                   chunks that arrived last twice: to the next head and to its own tail. Here the two writes
//                   are two transfers, each with a read of its own.
// Order of the sum, h and t being head and tail: each pair's share is (h + t), or (h + t + what arrived),
// taken in fp32 and rounded to the dtype once per jump.
//
// A jump passes the tail's chip, so between chips a link of a cycle carries up to twice what a ring would put
// on it: KangaRing trades bandwidth for steps, unless the pairs lie on one chip. Channels take the cycles in
// turn, in both directions; going down, the pairs are shifted by one.
#pragma once

#include "runtime/collective/algorithm/algorithm.h"

namespace tahoma::runtime::collective {

std::vector<ChannelPlan> kangaring_plan(const Problem& problem, const Grid& grid, std::uint32_t channels);
std::string kangaring_refusal(const Problem& problem, const Grid& grid);  // R must be even

}  // namespace tahoma::runtime::collective
