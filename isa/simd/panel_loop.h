// SPDX-License-Identifier: Apache-2.0
// Converts rows of small floats into panels (isa/simd/matmul_loop.h) and splits fp32 into halves, with the
// same bits on every host.
#pragma once

#include <cstddef>

#include "isa/core/dtype.h"

namespace tahoma::isa {

// Widens n contiguous elements of any float dtype to fp32 in at[0, kMovingPanel), at[stride, stride +
// kMovingPanel) and so on; n is a multiple of kMovingPanel. NaNs stay NaNs, with unspecified payloads.
void widen_into_panels(DType dtype, const std::byte* values, std::size_t n, float* at, std::size_t stride);

// Splits numbers into the halves of isa/semantics/semantics.h: high[i] loses the part that low[i] receives.
// Returns true if all numbers are finite.
bool split_halves(float* high, float* low, std::size_t n);
bool all_finite(const float* values, std::size_t n);

}  // namespace tahoma::isa
