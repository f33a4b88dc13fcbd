// SPDX-License-Identifier: Apache-2.0
// Sum, mean, maximum or minimum of a matrix on one core, in fp32:
// - over columns, one result for each row. The vector and the scalar engine share sums by their rates. The
//   vector engine computes extrema: the maximum of 16-bit elements runs at two elements a cycle; a minimum
//   first folds halves of the row onto each other, which also runs at two a cycle.
// - over rows, one result for each column. The tensor engine computes sums, as a matmul with ones into PSUM
//   (workloads/norm/column_sums.h). For extrema the vector engine folds all tiles into one of 128 rows, the
//   tensor engine transposes it, and the vector engine reduces the resulting rows.
//
// Not supported: over rows, matrices of more than 16384 columns.
#pragma once

#include "isa/core/program.h"
#include "model/system/machine/machine_params.h"
#include "runtime/builder/kernel.h"

namespace tahoma::workloads {

enum class ReductionOp : std::uint8_t { kSum, kMean, kMax, kMin };
enum class Over : std::uint8_t { kColumns, kRows };

struct ReductionShape {
  std::uint64_t rows = 0, columns = 0;
  isa::DType dtype = isa::DType::kBf16;  // of x
  ReductionOp op = ReductionOp::kSum;
  Over over = Over::kColumns;
  isa::DType out = isa::DType::kFp32;  // of y; over rows only fp32
};

// x [rows, columns], which may be columns of a wider matrix, y [rows, 1] or [1, columns].
struct ReductionViews {
  runtime::HbmView x, y;
};

// Appends it to a kernel that may contain other work.
void emit_reduction(runtime::Kernel& kernel, const model::MachineParams& machine, const ReductionShape& shape,
                    const ReductionViews& views);

// Arguments: x [rows, columns], y [rows, 1] or [1, columns].
isa::Program reduction_program(const model::MachineParams& machine, const ReductionShape& shape);

}  // namespace tahoma::workloads
