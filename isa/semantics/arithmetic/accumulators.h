// SPDX-License-Identifier: Apache-2.0
// An element-wise engine's accumulators, one fp32 per lane, as a reducing instruction uses them. Lane p of
// the instruction is the partition of dst's elements, dst.partition + p.
#pragma once

#include <vector>

#include "isa/semantics/arithmetic/core_view.h"
#include "isa/semantics/arithmetic/walk.h"

namespace tahoma::isa {

class Accumulators {
 public:
  // `init` is the value that load_reduce starts from. It is null for instructions without that operand, which
  // start from the neutral element of `op`.
  Accumulators(const Instruction& i, const CoreView& core, AluOp op, const Scalar* init = nullptr);

  bool folding() const;            // reset and idle do not fold
  float start(unsigned p) const;   // value of lane p before its first element
  void finish(unsigned p, float);  // stores the lane's final value, also to the result column if there is one

 private:
  const Instruction& instruction_;
  const CoreView& core_;
  float neutral_;
  Operand init_, result_;
  std::vector<float> own_;  // used for a core without lanes
  float* lanes_;
};

}  // namespace tahoma::isa
