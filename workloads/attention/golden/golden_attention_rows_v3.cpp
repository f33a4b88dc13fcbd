// SPDX-License-Identifier: Apache-2.0
// For hosts with AVX2 and FMA; workloads/CMakeLists.txt compiles this file with -march=x86-64-v3.
#define TAHOMA_HOST_EIGEN EigenHostV3
#define TAHOMA_ATTENTION_ROWS attention_rows_v3
#include "workloads/attention/golden/golden_attention_rows.inc"
