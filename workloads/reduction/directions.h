// SPDX-License-Identifier: Apache-2.0
// The two directions of a reduction (workloads/reduction/reduction_kernel.h).
#pragma once

#include "workloads/reduction/reduction_kernel.h"

namespace tahoma::workloads {

isa::Program reduction_over_columns(const model::MachineParams& machine, const ReductionShape& shape);
isa::Program reduction_over_rows(const model::MachineParams& machine, const ReductionShape& shape);

}  // namespace tahoma::workloads
