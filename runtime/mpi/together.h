// SPDX-License-Identifier: Apache-2.0
// All processes of a run prepare its simulation together.
#pragma once

#include <functional>

#include "model/system/parallel/processes.h"

namespace tahoma::runtime {

// Calls `body` in this process. With several processes, all call it, and if it throws in one, all end:
// process 0 with the error, the others with model::ReportedElsewhere. `processes` may be null: this one
// alone.
void together(model::Processes* processes, const std::function<void()>& body);

}  // namespace tahoma::runtime
