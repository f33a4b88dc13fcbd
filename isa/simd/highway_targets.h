// SPDX-License-Identifier: Apache-2.0
// Selects the instruction sets that the SIMD kernels are compiled for. Include it before any Highway header.
// On x86-64: AVX2 with FMA, and the scalar fallback for everything older. A source that defines
// TAHOMA_SIMD_AVX512 before is compiled for AVX-512 too; the others cap vectors at eight lanes, where AVX-512
// gains nothing, and each target costs compile time. Vectors of unknown length cannot be array elements, as
// the matmul kernel needs them.
#pragma once

#ifdef TAHOMA_SIMD_AVX512
#define TAHOMA_SIMD_NO_AVX3 0
#else
#define TAHOMA_SIMD_NO_AVX3 HWY_AVX3
#endif
#define HWY_DISABLED_TARGETS \
  (HWY_SSSE3 | HWY_SSE4 | TAHOMA_SIMD_NO_AVX3 | HWY_AVX3_DL | HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128)
