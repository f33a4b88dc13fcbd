// SPDX-License-Identifier: Apache-2.0
// Folds of fp32 numbers by the legal reductions. The order within one fold is architected and serial, so
// several folds are interleaved for speed.
#pragma once

#include <array>
#include <cstddef>

#include "isa/core/instruction.h"

namespace tahoma::isa {

inline constexpr std::size_t kFolds = 8;  // enough independent sums to hide the latency of one addition
using FoldRows = std::array<const float*, kFolds>;

// Folds in progress. If `started`, they continue from their current values; otherwise they begin with their
// first element.
struct Folds {
  std::array<float, kFolds> value{};
  bool started = false;
};

// Computes value[k] = value[k] op rows[k][0] op ... op rows[k][n - 1], from left to right, n > 0. Arithmetic
// follows isa/simd/row_loop.h. A NaN becomes 0x7fc00000 even if it is the only element.
void fold_rows(AluOp op, const FoldRows& rows, std::size_t n, Folds& folds);

// Returns the value that an accumulator is reset to: 0 for add and subtract, 1 for mult, -inf for
// max, +inf for min.
float neutral_element(AluOp op);

}  // namespace tahoma::isa
