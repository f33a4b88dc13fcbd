// SPDX-License-Identifier: Apache-2.0
// Repeats a run in timing mode with changed parameters. Every repetition is a separate process.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "model/base/measurements.h"
#include "model/base/units.h"
#include "runtime/config/config.h"

namespace tahoma::runtime {

// One repetition.
struct Repetition {
  base::Duration time;
  std::uint64_t instructions = 0;                               // executed
  base::StallTimes engines{};                                   // engine_times() of all cores
  std::vector<std::pair<std::string, base::Duration>> regions;  // by start
  std::string failure;                                          // why there is no time; "" if there is one
  bool refused = false;  // because the configuration refuses the change; otherwise the run failed

  const base::Duration* of_region(const std::string& name) const;  // null: it has no such region
};

// The unchanged run, and then one repetition for each list of changes (as --set), at most `jobs` at a time.
// What goes wrong is in `failure`. A repetition that changes only what the run does not read (unread.h) has
// the run's result and is not simulated. Throws std::system_error if the host cannot create a process.
std::vector<Repetition> repetitions(const ConfigRequest& request,
                                    const std::vector<std::vector<std::string>>& changes, std::size_t jobs,
                                    const std::function<void(std::size_t done, std::size_t of)>& progress);

}  // namespace tahoma::runtime
