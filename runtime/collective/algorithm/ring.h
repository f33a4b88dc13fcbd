// SPDX-License-Identifier: Apache-2.0
// Ring: each channel passes chunks along one directed Hamiltonian cycle of the group. Channels take the
// cycles in turn (runtime/collective/algorithm/cycles.h), each cycle in both directions.
//
// reduce_scatter: R - 1 rounds; in round s the rank at position q sends the chunk of position q - s - 1 to
// position q + 1. Order of the sum of position q's chunk: ((p[q+1] + p[q+2]) + ...) + p[q], rounded to the
// dtype at each hop, where p[i] are the inputs by position and additions are commutative: the own input comes
// first in the list.
// all_gather: R - 1 rounds; position q sends the chunk of position q - s on. all_reduce: one after the other.
// broadcast and reduce: a chain of R - 1 rounds that begins (ends) at the root; reduce sums in the order of
// the chain.
// Per link of a cycle that both directions use: (R - 1) / R of the data in each direction for reduce_scatter.
#pragma once

#include "runtime/collective/algorithm/algorithm.h"

namespace tahoma::runtime::collective {

std::vector<ChannelPlan> ring_plan(const Problem& problem, const Grid& grid, std::uint32_t channels);

}  // namespace tahoma::runtime::collective
