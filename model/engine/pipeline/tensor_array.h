// SPDX-License-Identifier: Apache-2.0
// Interface that replaces the tensor engine's arithmetic and array timing, for example by verilated RTL
// (model/rtl). Without it, isa computes the values and timing_laws.h the time. In both cases the pipeline
// models the queue before the array and the core's overheads.
#pragma once

#include "isa/semantics/semantics.h"
#include "model/base/units.h"

namespace tahoma::model {

class TensorArray {
 public:
  virtual ~TensorArray() = default;
  // Computes the values of a matmul or transpose that starts at `at`, from SBUF to PSUM, in functional mode.
  virtual void execute(const isa::Instruction& i, const isa::CoreView& core, base::Time at) = 0;
  // Returns the cycles from the first moving row in to the last sum out. The rows are those of the
  // instruction just executed; timing mode has no values and uses the same number of empty rows.
  virtual base::Cycles took(base::Cycles streaming, base::Time at) = 0;
};

}  // namespace tahoma::model
