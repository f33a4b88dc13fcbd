// SPDX-License-Identifier: Apache-2.0
// Replaces the tensor engine's arithmetic and array timing by pe_array.sv
// (machine.chip.core.tensor.model=rtl), always in lock step with the law. An instruction's rows pass through
// the RTL when its values are applied. As in the law, array times of different instructions do not overlap.
#pragma once

#include <optional>

#include "model/engine/params/engine_params.h"
#include "model/engine/pipeline/tensor_array.h"
#include "model/rtl/array/array_program.h"
#include "model/rtl/array/lock_step.h"

namespace tahoma::rtl {

class TensorGates final : public model::TensorArray {
 public:
  // Throws E-RTL-001 if no array of this size is built. `place` is the engine's instance name.
  TensorGates(std::string place, const model::TensorParams& params);

  void execute(const isa::Instruction& i, const isa::CoreView& core, base::Time at) override;
  base::Cycles took(base::Cycles streaming, base::Time at) override;

  std::uint64_t rows_compared() const { return lock_step_ ? lock_step_->rows_compared() : 0; }

 private:
  void wake(base::Time at);
  Elements stream(const ArrayPass& pass, const isa::ArrayBlock& block);
  void load(const ArrayPass& pass, const isa::ArrayBlock& block);

  std::string place_;
  const model::TensorParams& params_;
  isa::ArraySize size_;
  std::unique_ptr<ArrayGates> gates_;  // created for the first instruction
  std::optional<LockStep> lock_step_;
  bool bank_ = false;
  // For the last instruction: the number of moving rows, and the cycles from the first in to the last sum
  // out, without those spent waiting for weights.
  std::int64_t streamed_ = 0, fill_ = 0;
  bool executed_ = false;
};

}  // namespace tahoma::rtl
