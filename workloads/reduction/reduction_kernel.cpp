// SPDX-License-Identifier: Apache-2.0
#include "workloads/reduction/reduction_kernel.h"

#include "workloads/reduction/directions.h"

namespace tahoma::workloads {

isa::Program reduction_program(const model::MachineParams& machine, const ReductionShape& shape) {
  return shape.over == Over::kColumns ? reduction_over_columns(machine, shape)
                                      : reduction_over_rows(machine, shape);
}

}  // namespace tahoma::workloads
