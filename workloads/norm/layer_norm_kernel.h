// SPDX-License-Identifier: Apache-2.0
// Layer normalisation on one core, 128 rows at a time: y[r] = (x[r] - mean[r]) rstd[r] g + b with the mean
// and rstd[r] = 1 / sqrt(mean((x[r] - mean[r])^2) + epsilon) of each row, which are stored for the backward
// pass. The variance is the mean of squared distances, not a difference of means, so a large mean costs no
// precision. The scalar engine computes the statistics (two passes over the row), the vector engine the rest
// (two instructions with the gain and the bias in PSUM). Everything between input and output is fp32.
//
// Not supported: rows of more than 16384 columns, or rows of which one does not fit into SBUF (E-RUN-020).
#pragma once

#include <optional>

#include "isa/core/program.h"
#include "model/system/machine/machine_params.h"
#include "runtime/builder/kernel.h"

namespace tahoma::workloads {

struct LayerNormShape {
  std::uint64_t rows = 0, columns = 0;
  isa::DType dtype = isa::DType::kBf16;  // of x and y; everything else is fp32
  float epsilon = 0;
};

// x, y [rows, columns], g, b [1, columns], mean, rstd [rows, 1]; all but g may be columns of a wider matrix.
// With `add`, a residual stream, x + add is rounded to the dtype, stored to `sum` if there is one, and
// normalised. y may be narrower than x, and outputs may be the views of the inputs.
struct LayerNormViews {
  runtime::HbmView x, g, y;
  std::optional<runtime::HbmView> b, mean, rstd, add, sum;
};

// Appends it to a kernel that may contain other work. Takes all of PSUM and, for wide rows, most of SBUF.
void emit_layer_norm(runtime::Kernel& kernel, const model::MachineParams& machine,
                     const LayerNormShape& shape, const LayerNormViews& views);

// Arguments: x [rows, columns], g, b [1, columns], y [rows, columns], mean, rstd [rows, 1].
isa::Program layer_norm_program(const model::MachineParams& machine, const LayerNormShape& shape);

}  // namespace tahoma::workloads
