// SPDX-License-Identifier: Apache-2.0
// Few dense rows folded over the partitions: part p of row r, the columns [p width, (p + 1) width), in
// partition r parts + p. In HBM these follow each other, so that a transfer sees nothing but more and shorter
// rows.
#pragma once

#include "runtime/builder/kernel.h"
#include "workloads/norm/row_in_psum.h"
#include "workloads/rms_norm/rms_norm_kernel.h"

namespace tahoma::workloads {

// As many parts as the partitions allow and pieces of kPiece columns divide into; 1 where a view is not
// dense.
Fold fold_of(const model::MachineParams& machine, const RmsNormShape& shape, const RmsNormViews& views);

// [rows, columns] as [rows parts, columns / parts]; dense.
runtime::HbmView folded(const runtime::HbmView& view, unsigned parts);

// What the parts of a row have come to, added up: a product with the matrix of which partitions share a row,
// in fp32. Two PSUM banks are its own.
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
