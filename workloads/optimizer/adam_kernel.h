// SPDX-License-Identifier: Apache-2.0
// A step of Adam with decoupled weight decay (AdamW) on one core, in fp32:
//   m' = beta1 m + (1 - beta1) g        v' = beta2 v + (1 - beta2) g^2
//   p' = (1 - rate decay) p - rate / (1 - beta1^step) m' / (sqrt(v' / (1 - beta2^step)) + epsilon)
// m and v are replaced in place by way of SBUF, as is p; on request a copy of p' is made in bf16. The scalar
// engine computes scalings, squares and roots, the vector engine sums and the quotient, GpSimd the copy. The
// transfers of 28 to 30 bytes per element take longer than any of them.
//
// Not supported: gradient clipping, AMSGrad, special cases of the first step (there is none: step counts from
// 1).
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
  void declare(base::ParamTree& t);  // all but the step number
};

struct AdamShape {
  std::uint64_t rows = 0, columns = 0;
  isa::DType gradient = isa::DType::kFp32;
  bool copy = false;  // also write p' in bf16
};

// All are [rows, columns]: g in the gradient's dtype, the copy (if the shape has one) in bf16, all others in
// fp32. Each may be columns of a wider matrix; the next values may overwrite the old ones.
struct AdamViews {
  runtime::HbmView p, g, m, v, next_p, next_m, next_v;
  std::optional<runtime::HbmView> copy;
};

// Appends it to a kernel that may contain other work. Takes up to 176 KiB of each SBUF partition.
void emit_adam(runtime::Kernel& kernel, const model::MachineParams& machine, const AdamShape& shape,
               const AdamSettings& settings, const AdamViews& views);

// Returns the columns of a shard of so many elements. Its rows take as many of the partitions as they can,
// since fewer use fewer DMA engines. A row has at least 512 bytes, below which a DMA element loses bandwidth
// (shared/hardware/trainium2.md), and at most 2048 elements, if the number of elements has such divisors.
std::uint64_t shard_columns(const model::MachineParams& machine, std::uint64_t elements);

// A program of its own. Arguments: p, g, m, v, p_next, m_next, v_next, and the copy if the shape has one.
isa::Program adam_program(const model::MachineParams& machine, const AdamShape& shape,
                          const AdamSettings& settings);

}  // namespace tahoma::workloads
