// SPDX-License-Identifier: Apache-2.0
// The start phases of a run, which no program knows: how long ago the tensor engine's throttle began its
// window, and the last refreshes were due. Silicon counts both freely. Not drawn: jitter between cores, chips
// and hosts.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "report/summary/time_band.h"
#include "runtime/config/config.h"
#include "studies/whatif/repetition.h"

namespace tahoma::runtime {

// Lists of overrides (as --set), one for each of `runs` runs: phases that are uniform over their periods and
// depend on the seed alone. A list is empty if nothing of this machine has a phase.
std::vector<std::vector<std::string>> start_phases(const model::MachineParams& machine, std::uint64_t seed,
                                                   std::size_t runs);

// The band of runs that differ in their start phases; none for no runs. UserError E-CLI-006, at `name`: one
// failed.
std::optional<TimeBand> band_of_runs(const std::string& name, std::span<const Repetition> runs);

// Runs the configuration with so many start phases, in timing mode. UserError E-CLI-006: a run failed.
TimeBand time_band(const std::string& name, const ConfigRequest& request, std::size_t runs, std::size_t jobs,
                   const std::function<void(std::size_t done, std::size_t of)>& progress);

}  // namespace tahoma::runtime
