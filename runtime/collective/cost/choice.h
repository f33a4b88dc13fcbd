// SPDX-License-Identifier: Apache-2.0
// Chooses the algorithm of a collective if the user names none.
//
//   auto   by message size as published for Trainium (intranode-collective-comm.rst, internode-...): mesh
//          below 1 MB, recursive halving and doubling up to 56 MB, KangaRing above. Inside a chip: mesh up to
//          8 MiB, halving and doubling above; derived from silicon's times, not published; mesh for every
//          reduce_scatter, as it reads half as much (assumed). If the group or the operation does not allow
//          that one, the next possible one of the list ring, direct, tree, dissemination.
//   best   the one with the shortest expected time (runtime/collective/cost/cost.h)
#pragma once

#include <string>

#include "runtime/collective/algorithm/algorithm.h"
#include "runtime/collective/cost/cost.h"
#include "runtime/collective/schedule/channel_semaphores.h"

namespace tahoma::runtime::collective {

struct Choice {
  const AlgorithmRow* algorithm = nullptr;
  std::string why;             // one sentence
  Cost cost{};                 // the estimate, if the algorithm was chosen by it
  std::uint32_t channels = 0;  // of the estimated plan; 0: there was no estimate
};

// For the group of the cost model. `channels` is the most channels of a rank, `signals` the semaphores of a
// core for it; best stays within them if possible. Throws the errors of row_for().
Choice choose(Algorithm algorithm, const Problem& problem, std::uint64_t bytes, std::uint32_t channels,
              const CostModel& model, std::uint32_t signals = kSignals);

}  // namespace tahoma::runtime::collective
