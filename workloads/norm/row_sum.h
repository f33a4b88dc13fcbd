// SPDX-License-Identifier: Apache-2.0
// The sum of a function over a row that is too wide for one instruction, or of which only a piece is there at
// a time: the pieces add up in the scalar engine's accumulators, ascending, as if they were one. Between the
// first and the last piece no other sum may be started.
#pragma once

#include "runtime/builder/kernel.h"

namespace tahoma::workloads {

class RowSum {
 public:
  // `sum` is a [P,1] column of fp32, written with the last piece.
  RowSum(runtime::Kernel& kernel, const runtime::TileView& sum) : kernel_(kernel), sum_(sum) {}

  // dst = fn(scale * src + bias), and its sum. dst may be src.
  void add(const runtime::TileView& dst, const runtime::TileView& src, isa::ActFn fn, bool last,
           runtime::ScalarOperand scale = {1.0F, nullptr}, runtime::ScalarOperand bias = {});

 private:
  runtime::Kernel& kernel_;
  runtime::TileView sum_;
  bool begun_ = false;
};

}  // namespace tahoma::workloads
