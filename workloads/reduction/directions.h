// SPDX-License-Identifier: Apache-2.0
// The two directions of a reduction (workloads/reduction/reduction_kernel.h).
#pragma once

#include "workloads/reduction/reduction_kernel.h"

namespace tahoma::workloads {

void emit_over_columns(runtime::Kernel& kernel, const model::MachineParams& machine,
                       const ReductionShape& shape, const ReductionViews& views);
void emit_over_rows(runtime::Kernel& kernel, const model::MachineParams& machine, const ReductionShape& shape,
                    const ReductionViews& views);

}  // namespace tahoma::workloads
