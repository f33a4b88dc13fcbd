// SPDX-License-Identifier: Apache-2.0
// Points as job arrays of Slurm: submitted by sbatch with the user's own options, followed by squeue until
// all have left the queue. The folder of the sweep must be the same path on all nodes, and so must the
// program. Whoever leaves the queue without a result (time limit of the job, out of memory, node lost) gets
// the state that Slurm says as its reason.
//
// UserError E-SWP-060: no Slurm here, or what sbatch says.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "runtime/sweep/execution/pool.h"

namespace tahoma::runtime {

struct SlurmOptions {
  std::vector<std::string> sbatch;  // "--partition=long", "--account=arch", "--time=30", "--mem=8G"
  std::size_t jobs = 0;             // tasks of an array at the same time; 0: as Slurm pleases
  double poll = 1;                  // seconds between two looks at the queue
  ProcessLimits limits;
};

void run_on_slurm(const std::filesystem::path& points, const std::vector<Job>& jobs,
                  const SlurmOptions& options, const std::function<void(const Job&)>& ended,
                  const std::function<bool()>& stop);

}  // namespace tahoma::runtime
