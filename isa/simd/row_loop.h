// SPDX-License-Identifier: Apache-2.0
// Operations on rows of fp32 numbers, the inner loops of the element-wise engines: ALU operation, fused
// multiply-add and fold (conversions: isa/simd/convert_loop.h). Vectorised by run-time dispatch; every
// target, and every split into rows, gives the same bits. Memory: elements of `out` may be those of an input
// with the same index (in place), never of another index.
//
// Rules of the arithmetic: IEEE 754 single precision, one rounding per operation, subnormals kept. Every NaN
// result is the quiet NaN 0x7fc00000, because hosts differ in which NaN they propagate. max and min return a
// NaN if an operand is one, and order -0 below +0, which makes them associative. Comparisons give 1 or +0; a
// NaN is equal to nothing, itself included, and neither above nor below anything, so only is_not_equal holds
// for it. logical_* take +0 and -0 as false, everything else, NaNs included, as true, and give 1 or +0.
// isa/simd/power.h defines power and rsqrt. rsqrt, reciprocal and abs have no right operand;
// neither has bypass, which copies the bits of the left operand without arithmetic.
#pragma once

#include <cstddef>
#include <cstdint>

#include "isa/core/dtype.h"
#include "isa/core/instruction.h"

namespace tahoma::isa {

// Element i is at[i & mask]. A mask of 0 repeats one number; at[0..7] must then hold eight copies of it, a
// vector's worth.
struct Row {
  const float* at;
  std::size_t mask;
};
inline constexpr std::size_t kRepeats = 8;
inline Row dense_row(const float* at) { return {at, ~std::size_t{0}}; }

// Computes out[i] = a[i] op b[i]; not for bit operations. An operation without a right operand still
// requires a row `b`.
void alu_row(AluOp op, Row a, Row b, float* out, std::size_t n);

// Computes out[i] = a[i] * b[i] + c[i], rounded once.
void multiply_add_row(Row a, Row b, Row c, float* out, std::size_t n);

// Selects out[i] = condition[i] != 0 ? a[i] : b[i] without changing bits; a NaN condition counts as true.
void choose_row(Row condition, Row a, Row b, float* out, std::size_t n);

// Combines `first` with in[0..n) by kMax or kMin. Any order gives the same bits, so the lanes
// work in parallel.
float extremum_of_row(AluOp op, float first, const float* in, std::size_t n);

}  // namespace tahoma::isa
