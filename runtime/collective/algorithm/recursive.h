// SPDX-License-Identifier: Apache-2.0
// Recursive halving and doubling over the hypercube that the group contains.
//
// Each axis has a power of two of ranks; a coordinate's digits are its Gray code, so that on an axis of 4
// every exchange is between neighbours (all of an axis of 4 lies on one ring; on longer axes some partners
// are further away). Digits are taken axis by axis, each axis from its highest digit down, which keeps what a
// rank is responsible for one run of coordinates; channels begin with different axes.
//
// reduce_scatter: log2 R rounds; in each, two partners swap the halves that the other one keeps. Order of the
// sum: own input, then what came in round 0, 1, ...; all of it folded in fp32 once for each time it is sent
// on or kept, and rounded then. all_gather: the same backwards, doubling. all_reduce: one after the other.
#pragma once

#include "runtime/collective/algorithm/algorithm.h"

namespace tahoma::runtime::collective {

std::vector<ChannelPlan> recursive_plan(const Problem& problem, const Grid& grid, std::uint32_t channels);
std::string recursive_refusal(const Problem& problem, const Grid& grid);  // axes must be powers of two

// An all_reduce of one chunk in log2 R rounds, for barriers: in each, everyone tells its partner at twice the
// distance all that it knows, so all of them know it at the same time. Ranks beyond the largest power of two
// tell one of the others before, and are told after. Sums would be rounded in another order on every rank,
// so this is no row of the table of algorithms.
Schedule doubling(const Problem& problem);

}  // namespace tahoma::runtime::collective
