// SPDX-License-Identifier: Apache-2.0
#include "isa/semantics/arithmetic/accumulators.h"

#include "isa/semantics/arithmetic/fold.h"

namespace tahoma::isa {

Accumulators::Accumulators(const Instruction& i, const CoreView& core, AluOp op, const Scalar* init)
    : instruction_(i),
      core_(core),
      neutral_(neutral_element(op)),
      init_(init != nullptr ? scalar_operand(core, *init) : Operand{}),
      result_(i.result.present ? column_operand(core, i.result) : Operand{}),
      own_(core.lanes != nullptr ? 0 : LaneState::kLanes),
      lanes_((core.lanes != nullptr ? core.lanes->accumulator.data() : own_.data()) + i.dst.partition) {}

bool Accumulators::folding() const {
  return instruction_.command != ReduceCommand::kReset && instruction_.command != ReduceCommand::kIdle;
}

float Accumulators::start(unsigned p) const {
  switch (instruction_.command) {
    case ReduceCommand::kReduce:
    case ReduceCommand::kIdle:
      return lanes_[p];
    case ReduceCommand::kLoadReduce:
      return init_.at != nullptr
                 ? load_as_fp32(init_.at + init_.step[0] * static_cast<std::ptrdiff_t>(p), DType::kFp32)
                 : neutral_;
    default:
      return neutral_;
  }
}

void Accumulators::finish(unsigned p, float value) {
  lanes_[p] = value;
  if (result_.at == nullptr) return;
  store_rounded(result_.at + result_.step[0] * static_cast<std::ptrdiff_t>(p), result_.dtype, value,
                core_.rounding);
}

}  // namespace tahoma::isa
