// SPDX-License-Identifier: Apache-2.0
// The peak rate of a core's tensor engine.
#pragma once

#include "isa/core/dtype.h"
#include "isa/table/table.h"
#include "model/system/machine_params.h"

namespace tahoma::runtime {

// FLOPs per second. Multiply-accumulates count two; fp32 takes four passes, double_row does two at once
// (trainium2_arch.rst) and MXFP8 four (trainium3_arch.rst).
inline double core_peak_flops(const model::TensorParams& tensor, isa::DType dtype, isa::MatmulMode mode) {
  const double passes = dtype == isa::DType::kFp32 ? 4 : 1.0 / isa::weights_per_cell(mode);
  return 2.0 * static_cast<double>(tensor.rows) * static_cast<double>(tensor.columns) *
         static_cast<double>(tensor.clock.hz) / passes;
}

}  // namespace tahoma::runtime
