// SPDX-License-Identifier: Apache-2.0
// Converts rows of elements of a dtype to and from rows of fp32, with SIMD. The bits equal those of
// load_as_fp32, store_from_fp32 (isa/core/dtype.h) and store_rounded (isa/core/rounding.h), one element after
// the other, on every target.
#pragma once

#include <cstddef>

#include "isa/core/dtype.h"
#include "isa/core/rounding.h"

namespace tahoma::isa {

// Returns true for all dtypes except fp32, which needs no conversion, and the 32-bit integers, for which SIMD
// does not pay. The functions below accept only these dtypes. Elements are contiguous, at an address that is
// a multiple of their size.
bool has_row_conversion(DType dtype);

void widen_row(DType dtype, const std::byte* in, float* out, std::size_t n);
// A null rounding means to nearest, ties to even; any other advances by n if the dtype rounds stochastically.
void narrow_row(DType dtype, const float* in, std::byte* out, std::size_t n, Rounding* rounding = nullptr);

}  // namespace tahoma::isa
