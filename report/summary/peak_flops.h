// SPDX-License-Identifier: Apache-2.0
// The peak rate of a core's tensor engine.
#pragma once

#include "isa/core/dtype.h"
#include "isa/table/table.h"
#include "model/system/machine/machine_params.h"
#include "runtime/workload/array_work.h"

namespace tahoma::runtime {

// FLOPs per second. Multiply-accumulates count two; fp32 takes four passes, double_row does two at once
// (trainium2_arch.rst) and MXFP8 four (trainium3_arch.rst).
inline double core_peak_flops(const model::TensorParams& tensor, isa::DType dtype, isa::MatmulMode mode) {
  const double passes = dtype == isa::DType::kFp32 ? 4 : 1.0 / isa::weights_per_cell(mode);
  return 2.0 * static_cast<double>(tensor.rows) * static_cast<double>(tensor.columns) *
         static_cast<double>(tensor.clock.hz) / passes;
}

// The rate at which a core does all of the work if each part runs at its own peak. Without any work: that of
// its first part.
inline double core_peak_flops(const model::TensorParams& tensor, const ArrayWorks& works) {
  double flops = 0, seconds = 0;
  for (const ArrayWork& work : works) {
    flops += work.flops;
    seconds += work.flops / core_peak_flops(tensor, work.dtype, work.mode);
  }
  if (flops > 0) return flops / seconds;
  const ArrayWork first = works.empty() ? ArrayWork{} : works.front();
  return core_peak_flops(tensor, first.dtype, first.mode);
}

}  // namespace tahoma::runtime
