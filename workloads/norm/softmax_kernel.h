// SPDX-License-Identifier: Apache-2.0
// Softmax of rows on one core, 128 rows at a time: y[r] = exp(x[r] - max x[r]) / sum of these. Everything
// between input and output is fp32. The maximum of the next tile is computed before this one is divided, so
// that the scalar engine always has exponentials to compute. Both engines share the division, which is a
// product.
//
// The backward pass takes the saved output: dx[r] = y[r] (dy[r] - sum(y[r] dy[r])).
//
// Not supported: rows of which one tile does not fit into SBUF (E-RUN-020).
#pragma once

#include "isa/core/program.h"
#include "model/system/machine/machine_params.h"
#include "runtime/builder/kernel.h"

namespace tahoma::workloads {

struct RowsShape {
  std::uint64_t rows = 0, columns = 0;
  isa::DType dtype = isa::DType::kBf16;  // of every matrix
};

// x, y [rows, columns], which may be columns of a wider matrix.
struct SoftmaxViews {
  runtime::HbmView x, y;
};

// Appends it to a kernel that may contain other work. Takes up to most of SBUF.
void emit_softmax(runtime::Kernel& kernel, const model::MachineParams& machine, const RowsShape& shape,
                  const SoftmaxViews& views);

// Arguments: x, y, each [rows, columns].
isa::Program softmax_program(const model::MachineParams& machine, const RowsShape& shape);
// Arguments: y, dy, dx, each [rows, columns].
isa::Program softmax_backward_program(const model::MachineParams& machine, const RowsShape& shape);

}  // namespace tahoma::workloads
