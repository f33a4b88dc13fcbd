// SPDX-License-Identifier: Apache-2.0
// A trial: a simulation that finds the time of a collective before the run that needs it. It runs in a child
// process, because SystemC elaborates once per process, and without values, which do not change times.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "runtime/collective/lowering/planned_collective.h"

namespace tahoma::runtime::collective {

struct Trial {
  base::Duration time;  // of what is compared
  base::Duration run;   // of the whole run, at least that time
};

// Calls `body`, which loads and runs the programs, with a machine of its own in timing mode. Returns nothing if the
// run takes longer than `limit` (0: none), or if the programs do not fit into the machine.
std::optional<Trial> run_trial(const model::MachineParams& machine, base::Duration limit,
                               const std::function<Trial(Machine&)>& body);

// A collective alone, with its neighbours, on an idle machine: the time from the first start to the last end of a
// rank. `spec`: with its algorithm. All neighbours of the same size perform the same; others are idle.
std::optional<Trial> try_alone(const model::MachineParams& machine, const Group& group, const Spec& spec,
                               base::Duration limit);

// Everything that a trial depends on, as text, except the phases of memory refresh. It tells groups
// on a healthy machine apart by their shape and routes, not by their position.
std::string trial_key(const model::MachineParams& machine, const Group& group, const Spec& spec);

}  // namespace tahoma::runtime::collective
