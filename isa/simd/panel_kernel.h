// SPDX-License-Identifier: Apache-2.0
// Rows of small floats into panels (isa/simd/matmul_kernel.h) and fp32 into halves, the same bits on every host.
#pragma once

#include <cstddef>

#include "isa/core/dtype.h"

namespace tahoma::isa {

// n contiguous elements of any float dtype as fp32 to at[0, kMovingPanel), at[stride, stride + kMovingPanel)
// and so on; n is a multiple of kMovingPanel. NaNs stay NaNs, whichever.
void widen_into_panels(DType dtype, const std::byte* values, std::size_t n, float* at, std::size_t stride);

// The halves of isa/semantics/semantics.h: high[i] loses what low[i] receives. True if all numbers are finite.
bool split_halves(float* high, float* low, std::size_t n);
bool all_finite(const float* values, std::size_t n);

}  // namespace tahoma::isa
