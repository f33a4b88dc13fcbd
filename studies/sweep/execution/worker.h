// SPDX-License-Identifier: Apache-2.0
// One supervised attempt at one point: every executor starts it as `tahoma point`. The point runs in its own
// process under the sweep's limits, into points/ID/out, with its output in points/ID/log.txt. The supervisor
// records how it ended, and is killed together with the process that started it.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "runtime/host/process.h"
#include "studies/sweep/execution/attempt.h"

namespace tahoma::runtime {

// How points run.
struct PointOptions {
  ProcessLimits limits;
  std::uint64_t repeat = 0;  // as --repeat of a run, one repetition after the other
  bool full = false;         // with page and series; otherwise as `tahoma run --slim`
};
// Returns the same as options of `tahoma point`.
std::vector<std::string> words_of(const PointOptions& options);

// `folder`: points/ID, which contains config.yaml. Two attempts at the same point wait for each other; the
// second keeps a final result that it finds. Returns the attempt that it has written.
SweepPointResult attempt_point(const std::filesystem::path& folder, const std::string& executor,
                               const PointOptions& options);

}  // namespace tahoma::runtime
