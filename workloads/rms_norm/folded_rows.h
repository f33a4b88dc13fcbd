// SPDX-License-Identifier: Apache-2.0
// A small number of dense rows folded over the partitions: part p of row r, the columns [p width, (p + 1)
// width), is in partition r parts + p. The parts are consecutive in HBM, so a transfer only sees more and
// shorter rows.
#pragma once

#include "runtime/builder/kernel.h"
#include "workloads/norm/row_in_psum.h"
#include "workloads/rms_norm/rms_norm_kernel.h"

namespace tahoma::workloads {

// As many parts as the partitions allow and as divide the pieces of kPiece columns; 1 if a view is not dense.
Fold fold_of(const model::MachineParams& machine, const RmsNormShape& shape, const RmsNormViews& views);

// Returns a dense view [rows, columns] as [rows parts, columns / parts].
runtime::HbmView folded(const runtime::HbmView& view, unsigned parts);

// Adds up the results of the parts of a row: an fp32 product with the matrix that marks which partitions
// share a row. It owns two PSUM banks.
class FoldedSum {
 public:
  FoldedSum(runtime::Kernel& kernel, const Fold& fold);
  static unsigned banks(const Fold& fold) { return fold.parts > 1 ? 2 : 0; }
  // `sums` [rows parts, 1] of fp32; the result, in PSUM, is the same for all parts of a row.
  runtime::TileView of(const runtime::TileView& sums);

 private:
  runtime::Kernel& kernel_;
  runtime::Pool banks_;
  runtime::TileView same_row_;  // [rows parts, rows parts]
};

}  // namespace tahoma::workloads
