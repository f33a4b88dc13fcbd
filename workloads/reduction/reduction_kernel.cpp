// SPDX-License-Identifier: Apache-2.0
#include "workloads/reduction/reduction_kernel.h"

#include "model/base/error.h"
#include "workloads/reduction/directions.h"

namespace tahoma::workloads {

void emit_reduction(runtime::Kernel& kernel, const model::MachineParams& machine, const ReductionShape& shape,
                    const ReductionViews& views) {
  TAHOMA_INVARIANT(shape.over == Over::kColumns || shape.out == isa::DType::kFp32,
                   "results over rows are fp32");
  if (shape.over == Over::kColumns)
    emit_over_columns(kernel, machine, shape, views);
  else
    emit_over_rows(kernel, machine, shape, views);
}

isa::Program reduction_program(const model::MachineParams& machine, const ReductionShape& shape) {
  runtime::Kernel kernel("reduction", machine);
  const bool by_row = shape.over == Over::kColumns;
  const runtime::HbmView x = kernel.argument("x", shape.dtype, shape.rows, shape.columns),
                         y = kernel.argument("y", shape.out, by_row ? shape.rows : 1,
                                             by_row ? 1 : shape.columns);
  emit_reduction(kernel, machine, shape, {x, y});
  return kernel.finish();
}

}  // namespace tahoma::workloads
