// SPDX-License-Identifier: Apache-2.0
// Runs of cases, each in a process of its own.
#pragma once

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "report/run/run.h"

namespace tahoma::runtime {

struct ChildRun {
  std::string name;  // in errors
  RunOptions options;
};

// The contents of summary.json of each run, in the order of the runs. UserError E-HFC-020: a run was refused,
// ended early, or differs from its golden reference; with its message and exit status.
std::vector<nlohmann::ordered_json> summaries_of(const std::vector<ChildRun>& runs, std::size_t jobs,
                                                 const std::function<void(std::size_t done)>& progress);

}  // namespace tahoma::runtime
