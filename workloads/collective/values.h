// SPDX-License-Identifier: Apache-2.0
// Inputs of the ranks, and the outputs that they must produce.
//
// Inputs of a sum are integers, few or small enough that even the sum of all magnitudes of one element is
// exact in the dtype. No order of summation then rounds, and the result is known to the bit. `uniform` inputs
// in [-1, 1) show the rounding.
#pragma once

#include "runtime/collective/lowering/planned_collective.h"
#include "runtime/run/inputs.h"
#include "runtime/workload/workload.h"

namespace tahoma::workloads {

struct Values {
  std::uint64_t seed = 0;
  bool uniform = false;
};

// Fills the inputs of every rank of the group that `placed` belongs to. `number` distinguishes groups and
// sizes.
void fill_inputs(runtime::Machine& machine, const runtime::collective::PlannedCollective& planned,
                 const Values& values, std::uint64_t number);

// Compares all outputs with the definition of the operation.
runtime::GoldenResult check_outputs(runtime::Machine& machine, const runtime::collective::Group& group,
                                    const runtime::collective::PlannedCollective& planned,
                                    const Values& values, std::uint64_t number);

}  // namespace tahoma::workloads
