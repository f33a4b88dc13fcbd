// SPDX-License-Identifier: Apache-2.0
// For any x86-64 processor.
#define TAHOMA_HOST_EIGEN EigenHostBase
#define TAHOMA_ATTENTION_ROWS attention_rows_base
#include "workloads/attention/golden/golden_attention_rows.inc"
