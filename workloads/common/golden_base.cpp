// SPDX-License-Identifier: Apache-2.0
// The golden kernels for any x86-64 processor.
#define TAHOMA_GOLDEN_EIGEN EigenGoldenBase
#define TAHOMA_GOLDEN_KERNELS kGoldenKernelsBase
#define TAHOMA_GOLDEN_NAME "x86-64"
#include "workloads/common/golden_kernels.inc"
