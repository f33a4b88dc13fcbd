// SPDX-License-Identifier: Apache-2.0
// Recursive halving and doubling over the hypercube that the group contains.
//
// The number of ranks on each axis is a power of two. The digits of a coordinate are its Gray code, so on an
// axis of 4 every exchange is between neighbours (an axis of 4 is one ring; on longer axes some partners are
// further away). Digits are processed axis by axis, from the highest digit of each axis down, so that the
// chunks of a rank are always one run of coordinates; channels start with different axes.
//
// reduce_scatter: log2 R rounds; in each, two partners swap the halves that the other one keeps. Order of the
// sum: own input, then the arrivals of round 0, 1, ...; each time that data are sent or kept, they are folded
// in fp32 and then rounded once. all_gather: the same in reverse, by doubling. all_reduce: reduce_scatter
// followed by all_gather.
#pragma once

#include "runtime/collective/algorithm/algorithm.h"

namespace tahoma::runtime::collective {

std::vector<ChannelPlan> recursive_plan(const Problem& problem, const Grid& grid, std::uint32_t channels);
std::string recursive_refusal(const Problem& problem, const Grid& grid);  // axes must be powers of two

// An all_reduce of one chunk in log2 R rounds, for barriers: in each round every rank sends its partner, at
// twice the previous distance, all that it has received, so all ranks complete at the same time. Ranks beyond
// the largest power of two send to one of the others first and receive the result at the end. Sums would be
// rounded in a different order on every rank, so the table of algorithms does not contain this one.
Schedule doubling(const Problem& problem);

}  // namespace tahoma::runtime::collective
