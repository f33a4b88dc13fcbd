// SPDX-License-Identifier: Apache-2.0
// Root-mean-square normalisation on one core: y[r] = x[r] / sqrt(mean(x[r]^2) + epsilon) * g for each row, in
// fp32 inside, 128 rows at a time. The gain stands in PSUM, where it costs the vector engine one cycle an
// element and not two (workloads/norm/row_in_psum.h). Leaves out: rows of more than 16384 columns.
#pragma once

#include "isa/program.h"
#include "model/system/machine_params.h"

namespace tahoma::workloads {

struct RmsNormShape {
  std::uint64_t rows = 0, columns = 0;
  isa::DType dtype = isa::DType::kBf16;  // of x and y; g is fp32
  float epsilon = 0;
};

// Arguments: x [rows, columns], g [1, columns], y [rows, columns].
isa::Program rms_norm_program(const model::MachineParams& machine, const RmsNormShape& shape);

}  // namespace tahoma::workloads
