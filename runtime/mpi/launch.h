// SPDX-License-Identifier: Apache-2.0
// The processes that `mpirun` has started: Open MPI, or a launcher that sets the variables of PMI (MPICH,
// Slurm's srun --mpi=pmi2).
//
// UserError E-PAR-004: several processes were started, but this program was built without MPI, or its library
// cannot be loaded.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "model/base/error.h"
#include "model/system/parallel/processes.h"

namespace tahoma::runtime {

struct LaunchedRank {
  std::uint32_t rank = 0, count = 1;  // one process: nothing was launched
};
// Reads the environment, without MPI.
LaunchedRank launched_rank();

// Connects the processes; null for one process. Destroying it waits for all of them.
std::unique_ptr<model::Processes> launched_processes();

// Ends a process other than process 0 that has failed. If it fails before the processes are connected,
// process 0 either fails in the same way and ends all, or waits for this process to connect, which then says
// why it fails and ends all.
void end_failed_process(base::ExitStatus status, const std::string& text);

}  // namespace tahoma::runtime
