// SPDX-License-Identifier: Apache-2.0
// The backward pass of layer norm and RMS norm on one core, 128 rows at a time. With n[r] the normalised row
// and h[r] = rstd[r] dy[r] g:
//   layer norm  dx[r] = h[r] - mean(h[r]) - n[r] mean(h[r] n[r]),  n[r] = (x[r] - mean[r]) rstd[r]
//   RMS norm    dx[r] = h[r] - n[r] mean(h[r] n[r]),               n[r] = x[r] rstd[r]
//   dg = sum of dy[r] n[r] and db = sum of dy[r] over this core's rows
// Layer norm takes the saved mean and rstd of the forward pass; RMS norm recomputes rstd, for which the
// scalar engine has the time. The tensor engine computes the sums over rows; for it, products dy[r] n[r] are
// rounded to bf16 unless x is fp32. Everything else between input and output is fp32.
//
// The vector engine computes h, h n and dx; the scalar engine n, the sums over columns and most of what is
// added to h; GpSimd dy n and the rest of the additions. Of a row, x and h must stay until its sums are
// known.
//
// As a part of a layer, RMS norm adds the gradient of the residual stream, `add`, to dx before it is rounded.
//
// Not supported: rows of more than 16384 columns.
#pragma once

#include <optional>

#include "isa/core/program.h"
#include "runtime/builder/kernel.h"

namespace tahoma::workloads {

struct NormBackwardShape {
  std::uint64_t rows = 0, columns = 0;
  isa::DType dtype = isa::DType::kBf16;  // of x, dy and dx; everything else is fp32
  float epsilon = 0;                     // RMS norm's
};

// x, dy, dx and add [rows, columns] may be columns of a wider matrix; dx may overwrite x, dy or add. g and dg
// [1, columns] are fp32; dg gets this core's part of the sum.
struct RmsNormBackwardViews {
  runtime::HbmView x, g, dy, dx, dg;
  std::optional<runtime::HbmView> add;
};

// Appends it to a kernel that may contain other work. Takes up to 7 of the 8 PSUM banks and, for wide rows,
// most of SBUF.
void emit_rms_norm_backward(runtime::Kernel& kernel, const model::MachineParams& machine,
                            const NormBackwardShape& shape, const RmsNormBackwardViews& views);

// Arguments: x, dy [rows, columns], g [1, columns], mean, rstd [rows, 1], dx [rows, columns], dg, db
// [1, columns].
isa::Program layer_norm_backward_program(const model::MachineParams& machine, const NormBackwardShape& shape);
// Arguments: x, dy [rows, columns], g [1, columns], dx [rows, columns], dg [1, columns].
isa::Program rms_norm_backward_program(const model::MachineParams& machine, const NormBackwardShape& shape);

}  // namespace tahoma::workloads
