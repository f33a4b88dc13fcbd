// SPDX-License-Identifier: Apache-2.0
// Folds of fp32 numbers by the legal reductions. The order inside one fold is architected and serial, so
// speed comes from doing several folds side by side.
#pragma once

#include <array>
#include <cstddef>

#include "isa/core/instruction.h"

namespace tahoma::isa {

inline constexpr std::size_t kFolds = 8;  // enough independent sums to hide the latency of one addition
using FoldRows = std::array<const float*, kFolds>;

// Folds in progress. `started`: they hold something to go on from; else they begin with their first element.
struct Folds {
  std::array<float, kFolds> value{};
  bool started = false;
};

// value[k] = value[k] op rows[k][0] op ... op rows[k][n - 1], from left to right, n > 0. Arithmetic as in
// isa/simd/row_kernel.h; a NaN is 0x7fc00000 even if it is all that there was.
void fold_rows(AluOp op, const FoldRows& rows, std::size_t n, Folds& folds);

// What an accumulator is reset to: 0 for add and subtract, 1 for mult, -inf for max, +inf for min.
float neutral_element(AluOp op);

}  // namespace tahoma::isa
