// SPDX-License-Identifier: Apache-2.0
// Sums over all rows that a kernel processes: the gradients of a gain or a bias. The tensor engine multiplies
// 128 rows by a column of ones and adds the result to PSUM, where the sums stay until the end. Piece c of 512
// columns is kept in partition c: its weights are ones in column c and zeros in the others, so that 16384
// sums take one bank.
//
// Rows are bf16 (one pass) or fp32 (four). A product of zero with a non-finite value is NaN: an infinity in
// one column also corrupts the sums of columns a multiple of 512 away.
#pragma once

#include <string>

#include "runtime/builder/kernel.h"
#include "workloads/common/ranges.h"

namespace tahoma::workloads {

class ColumnSums {
 public:
  ColumnSums(runtime::Kernel& kernel, const model::MachineParams& machine, const std::string& name,
             isa::DType rows, unsigned columns);
  // Adds rows of the columns in `range`, which starts at a multiple of 512.
  void add(const runtime::TileView& rows, const Range& range);
  // Stores the sums, multiplied by a factor, to a matrix of one row.
  void store(const runtime::HbmView& sums, float factor = 1);

 private:
  runtime::Kernel& kernel_;
  std::string name_;
  unsigned columns_, pieces_;
  bool begun_ = false;
  runtime::TileView weights_, sums_;
};

}  // namespace tahoma::workloads
