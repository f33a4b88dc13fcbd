// SPDX-License-Identifier: Apache-2.0
// Root-mean-square normalisation on one core: y[r] = x[r] / sqrt(mean(x[r]^2) + epsilon) * g for each row, in
// fp32 inside, 128 rows at a time. Rows and columns are any numbers of which a tile fits into SBUF (E-RUN-020
// otherwise). Leaves out: columns wider than SBUF, more than one pass over a row.
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
