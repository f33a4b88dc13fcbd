// SPDX-License-Identifier: Apache-2.0
// The golden kernels for hosts with AVX2 and FMA; workloads/CMakeLists.txt compiles this file with
// -march=x86-64-v3.
#define TAHOMA_GOLDEN_EIGEN EigenGoldenV3
#define TAHOMA_GOLDEN_KERNELS kGoldenKernelsV3
#define TAHOMA_GOLDEN_NAME "x86-64-v3"
#include "workloads/common/golden_kernels.inc"
