// SPDX-License-Identifier: Apache-2.0
// The sum of a function over a row that is too wide for one instruction, or of which only one piece is
// present at a time. The pieces add up in the scalar engine's accumulators, in ascending order, as if they
// were one. No other sum may start between the first and the last piece.
#pragma once

#include "runtime/builder/kernel.h"

namespace tahoma::workloads {

class RowSum {
 public:
  // `sum` is a [P,1] column of fp32; the last piece writes it.
  RowSum(runtime::Kernel& kernel, const runtime::TileView& sum) : kernel_(kernel), sum_(sum) {}

  // dst = fn(scale * src + bias), which is added to the sum. dst may be src.
  void add(const runtime::TileView& dst, const runtime::TileView& src, isa::ActFn fn, bool last,
           runtime::ScalarOperand scale = {1.0F, nullptr}, runtime::ScalarOperand bias = {});

 private:
  runtime::Kernel& kernel_;
  runtime::TileView sum_;
  bool begun_ = false;
};

}  // namespace tahoma::workloads
