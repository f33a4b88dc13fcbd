// SPDX-License-Identifier: Apache-2.0
// Runs points as job arrays of Slurm: sbatch submits them with the user's options, and squeue is polled until
// all have left the queue. The folder of the sweep and the program must have the same path on all nodes. A
// point that leaves the queue without a result (time limit of the job, out of memory, node lost) gets the
// state that Slurm reports as its reason.
//
// UserError E-SWP-060: Slurm is not available, or sbatch refuses.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "studies/sweep/execution/pool.h"

namespace tahoma::runtime {

struct SlurmOptions {
  std::vector<std::string> sbatch;  // "--partition=long", "--account=arch", "--time=30", "--mem=8G"
  std::size_t jobs = 0;             // tasks of an array at the same time; 0: no limit
  double poll = 1;                  // seconds between two queries of the queue
  PointOptions point;
};

void run_on_slurm(const std::filesystem::path& points, const std::vector<Job>& jobs,
                  const SlurmOptions& options, const std::function<void(const Job&)>& ended,
                  const std::function<bool()>& stop);

}  // namespace tahoma::runtime
