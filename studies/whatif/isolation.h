// SPDX-License-Identifier: Apache-2.0
// The programs of a case of kind `colocated`, each alone on its cores: what sharing the machine costs them.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "report/files/program_report.h"
#include "runtime/config/config.h"

namespace tahoma::runtime {

// Runs each program alone, in timing mode. Throws UserError: E-CLI-004 for a case of another kind, E-CLI-006
// if a run failed.
std::vector<AloneTimes> alone_times(const ConfigRequest& request, std::size_t jobs,
                                    const std::function<void(std::size_t done, std::size_t of)>& progress);

}  // namespace tahoma::runtime
