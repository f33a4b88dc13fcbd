// SPDX-License-Identifier: Apache-2.0
// Errors in a run of several processes: if one fails, all of them end, and process 0 throws the error.
#pragma once

#include <functional>

#include "model/base/units.h"
#include "model/system/parallel/processes.h"

namespace tahoma::model {

// Thrown by processes other than 0 where process 0 throws the error.
struct ReportedElsewhere {};

// Every process calls `body`, which may throw. If any has thrown, process 0 throws the error of the earliest
// simulated time, of the lowest process among equal ones, and the others throw ReportedElsewhere. The error
// of a defect names the process.
void agree(Processes& processes, base::Time (*now)(), const std::function<void()>& body);

}  // namespace tahoma::model
