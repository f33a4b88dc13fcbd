// SPDX-License-Identifier: Apache-2.0
// The resources to which the time of a run is attributed, by their names in `tahoma explain`
// (studies/whatif/resource.h), and how the time of a step of the critical path is divided among them:
//
//   engines            execution of an instruction: issue, pipeline, weight and table loads, throttle,
//                      conflicts of PSUM banks
//   hand-over          sequencers, and semaphores that engines raise
//   dynamic addresses  execution of a copy whose address is in a register
//   synchronisation    the other core of a logical core
//   SBUF ports         waits for a port that another engine uses. What an access itself takes longer is
//                      execution
//   DMA                doorbells, start of a transfer, data that the DMA engines pass, their writes and
//                      semaphores
//   descriptor generator  the hardware generator of a queue, and waiting for it
//   HBM                waits of the DMA engines for a memory of their chip, without the path to it
//   on-chip network    one path to a memory and back in each step that waits for HBM
//   NeuronLink         waits for the fabric or for data of another chip; from the last read of a write to
//                      another chip until its semaphore is seen there, what is beyond the links included
//   none               time that no instruction explains
#pragma once

#include <array>
#include <cstdint>

#include "isa/core/program.h"
#include "model/system/machine/machine_params.h"
#include "report/path/critical_path.h"

namespace tahoma::runtime {

enum class PathResource : std::uint8_t {
  kTensor,
  kVector,
  kScalar,
  kGpSimd,
  kHandover,
  kDynamicAddresses,
  kSynchronisation,
  kSbufPorts,
  kDma,
  kGenerator,
  kHbm,
  kNetwork,
  kNeuronLink,
  kNone
};
inline constexpr std::size_t kPathResources = 14;
const char* name_of(PathResource resource);  // "tensor engine", ..., "none"

using ResourceTimes = std::array<base::Duration, kPathResources>;

struct PathCosts {
  base::Duration network;  // to a memory and back
};
PathCosts path_costs(const model::MachineParams& machine);

// Adds up to the step's time. `program`: of the step's core; null for time that no instruction explains.
ResourceTimes resources_of(const PathStep& step, const isa::Program* program, const PathCosts& costs);

}  // namespace tahoma::runtime
