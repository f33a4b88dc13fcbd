// SPDX-License-Identifier: Apache-2.0
// Rows of fp32 numbers, the inner loops of the element-wise engines: ALU operation, fused multiply-add
// and fold (conversions: isa/simd/convert_kernel.h). Vectorised by run-time dispatch; every target, and every
// split into rows, gives the same bits. Memory: elements of `out` may be those of an input with the same
// index (in place), never of another index.
//
// Rules of the arithmetic: IEEE 754 single precision, one rounding per operation, subnormals kept. A result
// that is not a number is always the quiet NaN 0x7fc00000, since hosts differ in what they propagate. max and
// min return a NaN if an operand is one, and order -0 below +0, so that they are associative. Comparisons
// give 1 or +0; a NaN is equal to nothing, itself included, and neither above nor below anything, so only
// is_not_equal holds of it. logical_* take +0 and -0 as false, everything else, NaNs included, as true, and
// give 1 or +0. power and rsqrt stand in isa/semantics/arithmetic/power.h. rsqrt, reciprocal and abs have no right operand, nor
// has bypass, which is no arithmetic and copies the bits of the left one.
#pragma once

#include <cstddef>
#include <cstdint>

#include "isa/core/dtype.h"
#include "isa/core/instruction.h"

namespace tahoma::isa {

// Element i is at[i & mask]. mask = 0 repeats one number: at[0..7] must then be eight copies of it, a
// vector's worth.
struct Row {
  const float* at;
  std::size_t mask;
};
inline constexpr std::size_t kRepeats = 8;
inline Row dense_row(const float* at) { return {at, ~std::size_t{0}}; }

// out[i] = a[i] op b[i]; not for bit operations. An operation without right operand still wants a row `b`.
void alu_row(AluOp op, Row a, Row b, float* out, std::size_t n);

// out[i] = a[i] * b[i] + c[i], rounded once.
void multiply_add_row(Row a, Row b, Row c, float* out, std::size_t n);

// out[i] = condition[i] != 0 ? a[i] : b[i], bit by bit; a NaN as condition is true.
void choose_row(Row condition, Row a, Row b, float* out, std::size_t n);

// `first`, combined with in[0..n) by kMax or kMin. Any order gives the same bits, so lanes work side by side.
float extremum_of_row(AluOp op, float first, const float* in, std::size_t n);

}  // namespace tahoma::isa
