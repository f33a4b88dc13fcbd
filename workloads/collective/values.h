// SPDX-License-Identifier: Apache-2.0
// What the ranks put in and what must come out.
//
// Inputs of a sum are whole numbers, few or small enough that even all magnitudes of one element add up to
// something that the dtype holds exactly: then no order of summation rounds, and the result is known to the
// bit. `uniform` inputs in [-1, 1) are there for those who want to see the rounding.
#pragma once

#include "runtime/collective/lowering/placed.h"
#include "runtime/run/inputs.h"
#include "runtime/run/workload.h"

namespace tahoma::workloads {

struct Values {
  std::uint64_t seed = 0;
  bool uniform = false;
};

// Fills the inputs of every rank of the group that `placed` belongs to; `number` tells groups and sizes
// apart.
void fill_inputs(runtime::Machine& machine, const runtime::collective::Placed& placed, const Values& values,
                 std::uint64_t number);

// Compares all outputs with the definition of the operation.
runtime::GoldenResult check_outputs(runtime::Machine& machine, const runtime::collective::Group& group,
                                    const runtime::collective::Placed& placed, const Values& values,
                                    std::uint64_t number);

}  // namespace tahoma::workloads
