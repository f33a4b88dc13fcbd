// SPDX-License-Identifier: Apache-2.0
// Operands of MX: views of packed elements (float8_e4m3fn_x4 and the like) become the quads of
// isa/table/table_later.h, with the scales that belong to them.
#pragma once

#include "frontend/nki/record/trace.h"

namespace tahoma::runtime::nki {

// Packed elements and their scales: uint8 or float8_e8m0fnu, one for 8 partitions and a column, in the first
// partitions of each 32 of the view. Either view may begin at any multiple of 4 in its 32 partitions.
struct ScaledView {
  const View& quads;
  const View& scales;
};

// dst [M, N] (+)= stationary [K, M] ^T moving [K, N] of quads. Errors: E-NKI-011 (shapes), 012 (types).
Recorded matmul_mx_entry(const View& dst, const ScaledView& stationary, const ScaledView& moving,
                         const isa::Limits& limits);
// src [K, 4 N] becomes the quads [K, N] and their scales.
Recorded quantize_mx_entry(const ScaledView& dst, const View& src, const isa::Limits& limits);

}  // namespace tahoma::runtime::nki
