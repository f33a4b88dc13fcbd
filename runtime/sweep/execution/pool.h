// SPDX-License-Identifier: Apache-2.0
// Points on this host: a process each, as many at a time as jobs and memory allow
// (runtime/sweep/execution/admission.h).
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "runtime/sweep/execution/worker.h"

namespace tahoma::runtime {

struct Job {
  std::string id, workload;
};

struct PoolOptions {
  std::size_t jobs = 1;
  base::Bytes memory{0};  // of all points together; 0: what the host has free
  ProcessLimits limits;   // limits.memory: what a point needs at most, so what is reserved for it
};

// What the host can give now: free memory, and no more than the process may have.
base::Bytes free_memory();

// In the order of the jobs; `ended` hears of each when its process has. Stops starting points when `stop`
// says so, and returns when those that run have ended. Throws std::system_error when the host gives no
// process.
void run_locally(const std::filesystem::path& points, const std::vector<Job>& jobs,
                 const PoolOptions& options, const std::function<void(const Job&)>& ended,
                 const std::function<bool()>& stop);

}  // namespace tahoma::runtime
