// SPDX-License-Identifier: Apache-2.0
// Runs points on this host, one process each, as many at a time as jobs and memory allow
// (studies/sweep/execution/admission.h).
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "studies/sweep/execution/worker.h"

namespace tahoma::runtime {

struct Job {
  std::string id, workload;
};

struct PoolOptions {
  std::size_t jobs = 1;
  base::Bytes memory{0};  // of all points together; 0: the free memory of the host
  PointOptions point;     // point.limits.memory is reserved for each point
};

// The memory that the host can give now: its free memory, limited by what the process may have.
base::Bytes free_memory();

// Starts the jobs in order; `ended` is called when the process of a job has ended. Stops starting points when
// `stop` returns true, and returns when those that run have ended. Throws std::system_error if the host
// cannot create a process.
void run_locally(const std::filesystem::path& points, const std::vector<Job>& jobs,
                 const PoolOptions& options, const std::function<void(const Job&)>& ended,
                 const std::function<bool()>& stop);

}  // namespace tahoma::runtime
