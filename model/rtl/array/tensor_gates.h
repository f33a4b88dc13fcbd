// SPDX-License-Identifier: Apache-2.0
// pe_array.sv in the place of the tensor engine's arithmetic and of its array's time
// (machine.chip.core.tensor.model=rtl), always in lock-step with the law. An instruction's rows go through
// the gates at the moment when its values are applied; one instruction's array time does not overlap
// another's here, as the law counts it.
#pragma once

#include <optional>

#include "model/engine/pipeline/engine_params.h"
#include "model/engine/pipeline/tensor_array.h"
#include "model/rtl/array/array_program.h"
#include "model/rtl/lock_step.h"

namespace tahoma::rtl {

class TensorGates final : public model::TensorArray {
 public:
  // E-RTL-001 if no array of this size is built. `place`: the engine's instance name.
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
  std::unique_ptr<ArrayGates> gates_;  // made for the first instruction
  std::optional<LockStep> lock_step_;
  bool bank_ = false;
  // Of the last instruction: moving rows, and the cycles from the first in to the last sum out that were not
  // spent on waiting for weights.
  std::int64_t streamed_ = 0, fill_ = 0;
  bool executed_ = false;
};

}  // namespace tahoma::rtl
