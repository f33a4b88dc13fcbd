// SPDX-License-Identifier: Apache-2.0
// One attempt at one point, supervised: what every executor starts as `tahoma point`. The point runs in a
// process of its own under the sweep's limits, into points/ID/out, with what it prints in points/ID/log.txt;
// the supervisor writes down how that ended. Killed together with whoever started it.
#pragma once

#include <filesystem>
#include <string>

#include "runtime/host/process.h"
#include "runtime/sweep/execution/attempt.h"

namespace tahoma::runtime {

// `folder`: points/ID, which holds config.yaml. Two at the same point wait for each other, and who finds a
// final result leaves it. Returns what it has written.
SweepPointResult attempt_point(const std::filesystem::path& folder, const std::string& executor,
                               const ProcessLimits& limits);

}  // namespace tahoma::runtime
