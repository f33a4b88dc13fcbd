// SPDX-License-Identifier: Apache-2.0
// A step of Adam with decoupled weight decay (AdamW) on one core, in fp32:
//   m' = beta1 m + (1 - beta1) g        v' = beta2 v + (1 - beta2) g^2
//   p' = (1 - rate decay) p - rate / (1 - beta1^step) m' / (sqrt(v' / (1 - beta2^step)) + epsilon)
// m and v are replaced in place by way of SBUF, as p is; a copy of p' in bf16 is made on request. Scalings,
// squares and roots are the scalar engine's, sums and the quotient the vector engine's, the copy GpSimd's:
// the transfers of 28 to 30 bytes an element take longer than any of them.
//
// Leaves out: gradient clipping, AMSGrad, the first step's special cases (there is none: step counts from 1).
#pragma once

#include <optional>

#include "isa/core/program.h"
#include "model/base/params.h"
#include "runtime/builder/kernel.h"

namespace tahoma::workloads {

struct AdamSettings {
  double rate = 0, beta1 = 0, beta2 = 0, epsilon = 0, decay = 0;
  std::uint64_t step = 1;
  double first_correction() const;   // 1 / (1 - beta1^step)
  double second_correction() const;  // 1 / (1 - beta2^step)
  void declare(base::ParamTree& t);  // all but the step's number
};

struct AdamShape {
  std::uint64_t rows = 0, columns = 0;
  isa::DType gradient = isa::DType::kFp32;
  bool copy = false;  // p' in bf16, too
};

// All [rows, columns], g in the gradient's dtype, the copy, if the shape has one, in bf16, everything else in
// fp32. Each may be some columns of a wider matrix; the next values may be in the old ones' place.
struct AdamViews {
  runtime::HbmView p, g, m, v, next_p, next_m, next_v;
  std::optional<runtime::HbmView> copy;
};

// Appends it to a kernel, which may hold more than this. Takes up to 176 KiB of each SBUF partition.
void emit_adam(runtime::Kernel& kernel, const model::MachineParams& machine, const AdamShape& shape,
               const AdamSettings& settings, const AdamViews& views);

// Alone. Arguments: p, g, m, v, p_next, m_next, v_next, and the copy if there is one.
isa::Program adam_program(const model::MachineParams& machine, const AdamShape& shape,
                          const AdamSettings& settings);

}  // namespace tahoma::workloads
