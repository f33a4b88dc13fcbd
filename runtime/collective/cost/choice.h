// SPDX-License-Identifier: Apache-2.0
// Chooses the algorithm of a collective if the user names none.
//
//   auto   by message size as published for Trainium (intranode-collective-comm.rst, internode-...): mesh below
//          1 MB, recursive halving and doubling up to 56 MB, KangaRing above. If the group or the operation
//          does not allow that one, the next possible one of the list ring, direct, tree, dissemination.
//   best   the fastest in trials (runtime/collective/cost/trial.h): simulations of the collective alone, unless
//          the caller simulates it in its program. Algorithms whose busiest link or DMA engines need longer than
//          the fastest so far are not tried. Where one algorithm is possible, nothing is.
//
// A process remembers its choices, by everything that they depend on, until it ends. Nothing is kept on the host,
// so a choice never depends on earlier runs.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "runtime/collective/cost/trial.h"
#include "runtime/collective/lowering/planned_collective.h"

namespace tahoma::runtime::collective {

struct Choice {
  const AlgorithmRow* algorithm = nullptr;
  std::string why;  // one sentence
};

// `spec`: without its algorithm; best stays within its semaphores if possible. Throws the errors of row_for().
Choice choose(Algorithm algorithm, const Spec& spec, const Group& group, const model::MachineParams& machine);

// The fastest algorithm where `attempt` runs a trial of one: the collective in its program, for instance. Its
// times must include that of the collective.
using Attempt = std::function<std::optional<Trial>(const AlgorithmRow& algorithm, base::Duration limit)>;
Choice fastest(const Spec& spec, const Group& group, const model::MachineParams& machine,
               const Attempt& attempt);

// Throws the errors of choose() without choosing.
void check_choice(Algorithm algorithm, const Problem& problem, const Grid& grid);

}  // namespace tahoma::runtime::collective
