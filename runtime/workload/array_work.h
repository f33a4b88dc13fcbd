// SPDX-License-Identifier: Apache-2.0
// Useful FLOPs by what decides the rate of the tensor engine.
#pragma once

#include <vector>

#include "isa/core/dtype.h"
#include "isa/core/instruction.h"

namespace tahoma::runtime {

// FLOPs of the matmuls of one dtype, that of the moving operand, and one mode.
struct ArrayWork {
  isa::DType dtype = isa::DType::kBf16;
  isa::MatmulMode mode = isa::MatmulMode::kDense;
  double flops = 0;
};
using ArrayWorks = std::vector<ArrayWork>;

}  // namespace tahoma::runtime
