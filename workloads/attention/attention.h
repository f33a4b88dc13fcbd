// SPDX-License-Identifier: Apache-2.0
// The workload `attention`: flash attention forward, heads sharded over cores.
//
//   O[h] = softmax(Q[h] K[g]^T / sqrt(d) + mask) V[g],   g = h kv_heads / heads
//
// Q and O are [heads, q_len, d], K and V [kv_heads, kv_len, d], all of one dtype. With `lse` the workload
// also stores LSE [heads, q_len] in fp32, the log of the sum of exp(scores). With a causal mask query i sees
// the keys j <= i + kv_len - q_len, so that the last query sees all keys; more queries than keys are refused
// (E-ATT-001), because the first query would see none. With a window a query sees only the last `window` of
// these keys (E-ATT-004 without a causal mask). kv_heads divides heads (E-ATT-003). Lengths are arbitrary; d
// ranges from 1 to 256. Each group of `split` cores gets whole heads, distributed as evenly as possible, in
// the HBM layout of flash_kernel.h: Q and K transposed (d-major). Asking for more cores than the machine has
// is E-ATT-002.
#pragma once

#include <memory>

#include "runtime/workload/workload.h"

namespace tahoma::workloads {

std::unique_ptr<runtime::Workload> make_attention();

}  // namespace tahoma::workloads
