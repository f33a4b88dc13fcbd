// SPDX-License-Identifier: Apache-2.0
// Ring: each channel passes chunks along one directed Hamiltonian cycle of the group. Channels use the cycles
// in rotation (runtime/collective/algorithm/cycles.h), each cycle in both directions.
//
// reduce_scatter: R - 1 rounds; in round s the rank at position q sends the chunk of position q - s - 1 to
// position q + 1. Order of the sum of position q's chunk: ((p[q+1] + p[q+2]) + ...) + p[q], rounded to the
// dtype at each hop, where p[i] are the inputs by position and additions are commutative: the own input
// comes first in the list.
// all_gather: R - 1 rounds; position q forwards the chunk of position q - s. all_reduce: reduce_scatter
// followed by all_gather.
// broadcast and reduce: a chain of R - 1 rounds that begins (ends) at the root; reduce sums in
// the order of the chain.
// Each link of a cycle that is used in both directions carries (R - 1) / R of the data per
// direction in a reduce_scatter.
#pragma once

#include "runtime/collective/algorithm/algorithm.h"

namespace tahoma::runtime::collective {

std::vector<ChannelPlan> ring_plan(const Problem& problem, const Grid& grid, std::uint32_t channels);

}  // namespace tahoma::runtime::collective
