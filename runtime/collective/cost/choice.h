// SPDX-License-Identifier: Apache-2.0
// Which algorithm performs a collective when the user names none.
//
//   auto   by message size as published for Trainium (intranode-collective-comm.rst, internode-...): mesh
//   below
//          1 MB, recursive halving and doubling up to 56 MB, KangaRing above; where the group or the
//          operation does not allow that one, the next of the list ring, direct, tree, dissemination that
//          does
//   best   the one whose closed form (runtime/collective/cost/cost.h) is shortest
#pragma once

#include <string>

#include "runtime/collective/algorithm/algorithm.h"
#include "runtime/collective/cost/cost.h"
#include "runtime/collective/lowering/channel_semaphores.h"

namespace tahoma::runtime::collective {

struct Choice {
  const AlgorithmRow* algorithm = nullptr;
  std::string why;  // one sentence
};

// `channels`: of a rank, at most; `signals`: semaphores that a core
// has for it, within which best stays where it can. Throws what row_for() throws.
Choice choose(Algorithm algorithm, const Problem& problem, const Grid& grid, std::uint64_t bytes,
              std::uint32_t channels, const CostModel& model, std::uint32_t signals = kSignals);

}  // namespace tahoma::runtime::collective
