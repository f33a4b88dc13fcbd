// SPDX-License-Identifier: Apache-2.0
// Root-mean-square normalisation on one core: y[r] = x[r] / sqrt(mean(x[r]^2) + epsilon) * g for each row, in
// fp32 internally, 128 rows at a time. The gain is in PSUM, where it costs the vector engine one cycle per
// element instead of two (workloads/norm/row_in_psum.h). Up to 64 dense rows of whole pieces of 512 columns
// (tokens of a decoding step) are folded: each is spread over as many partitions as 128 allow, and the array
// adds up their squares. Not supported: rows of more than 16384 columns.
#pragma once

#include <optional>

#include "isa/core/program.h"
#include "runtime/builder/kernel.h"

namespace tahoma::workloads {

struct RmsNormShape {
  std::uint64_t rows = 0, columns = 0;
  isa::DType dtype =
      isa::DType::kBf16;  // of all tensors except g, which is fp32, and y, which may be narrower
  float epsilon = 0;
  std::uint64_t elements = 0;  // of a row, with `squares`
};

// x, y [rows, columns], g [1, columns]; all but g may be columns of a wider matrix. With `add` [rows,
// columns], a residual stream, x + add is rounded to the dtype, stored to `sum` if there is one, and
// normalised. Outputs may be the views of the inputs.
struct RmsNormViews {
  runtime::HbmView x, g, y;
  std::optional<runtime::HbmView> add, sum;
  // The sums of the squares of longer rows, of which x has some columns: [rows, 1] of fp32. Not with `add`.
  std::optional<runtime::HbmView> squares{};
};

// Appends it to a kernel that may contain other work. Takes all of PSUM and, for wide rows, most of SBUF.
void emit_rms_norm(runtime::Kernel& kernel, const model::MachineParams& machine, const RmsNormShape& shape,
                   const RmsNormViews& views);

// A program of its own with the arguments x [rows, columns], g [1, columns], y [rows, columns] and, with
// `residual`, then add and sum.
isa::Program rms_norm_program(const model::MachineParams& machine, const RmsNormShape& shape,
                              bool residual = false);

}  // namespace tahoma::workloads
