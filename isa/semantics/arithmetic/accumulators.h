// SPDX-License-Identifier: Apache-2.0
// An element-wise engine's accumulators, one fp32 a lane, in an instruction that reduces. Lane p of the
// instruction is the partition in which dst's elements lie, dst.partition + p.
#pragma once

#include <array>

#include "isa/semantics/arithmetic/walk.h"
#include "isa/semantics/semantics.h"

namespace tahoma::isa {

class Accumulators {
 public:
  // `init`: what load_reduce starts from; null where the instruction has no such operand, which then starts
  // from the neutral element of `op`.
  Accumulators(const Instruction& i, const CoreView& core, AluOp op, const Scalar* init = nullptr);

  bool folding() const;            // reset and idle fold nothing
  float start(unsigned p) const;   // what lane p holds before its first element
  void finish(unsigned p, float);  // what it holds after its last; also goes to the result column, if any

 private:
  const Instruction& instruction_;
  const CoreView& core_;
  float neutral_;
  Operand init_, result_;
  std::array<float, LaneState::kLanes> own_{};  // of a core without lanes
  float* lanes_;
};

}  // namespace tahoma::isa
