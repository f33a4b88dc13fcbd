// SPDX-License-Identifier: Apache-2.0
// What may stand in the place of the tensor engine's arithmetic and of its array's time: gates, verilated
// (model/rtl). Without one, isa computes and timing_laws.h counts. The queue before the array, and what the
// core adds around it, are the pipeline's in either case.
#pragma once

#include "isa/semantics/semantics.h"
#include "model/base/units.h"

namespace tahoma::model {

class TensorArray {
 public:
  virtual ~TensorArray() = default;
  // Functional mode: the values of a matmul or transpose that starts at `at`, from SBUF to PSUM.
  virtual void execute(const isa::Instruction& i, const isa::CoreView& core, base::Time at) = 0;
  // From the first of these moving rows in to the last sum out. The rows are those of the instruction just
  // executed; in timing mode, which has no values, as many empty ones.
  virtual base::Cycles took(base::Cycles streaming, base::Time at) = 0;
};

}  // namespace tahoma::model
