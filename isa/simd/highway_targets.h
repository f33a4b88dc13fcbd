// SPDX-License-Identifier: Apache-2.0
// Selects the instruction sets that the SIMD kernels are compiled for. Include it before any Highway header.
// On x86-64: AVX2 with FMA, and the scalar fallback for everything older. AVX-512 is disabled: vectors are
// capped at eight lanes, where it gains nothing, and each target costs compile time. Vectors of unknown
// length cannot be array elements, as the matmul kernel needs them.
#pragma once

#define HWY_DISABLED_TARGETS \
  (HWY_SSSE3 | HWY_SSE4 | HWY_AVX3 | HWY_AVX3_DL | HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128)
