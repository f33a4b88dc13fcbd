// SPDX-License-Identifier: Apache-2.0
// The workload `attention`: flash attention forward, heads sharded over cores.
//
//   O[h] = softmax(Q[h] K[g]^T / sqrt(d) + mask) V[g],   g = h kv_heads / heads
//
// Q and O are [heads, q_len, d], K and V [kv_heads, kv_len, d], of one dtype; with `lse` also LSE [heads,
// q_len] of fp32, log of the sum of exp(scores). Causal: query i sees the keys j <= i + kv_len - q_len, so
// that the last query sees all; more queries than keys are refused (E-ATT-001), because the first would see
// nothing. With a window it sees only the last so many of these (E-ATT-004 without causal). kv_heads divides
// heads (E-ATT-003). Any lengths, d from 1 to 128. Each group of `split` cores gets whole heads, as evenly as
// they divide, in HBM as flash_kernel.h lays them out: Q and K transposed (d-major). Asking for more cores
// than there are is E-ATT-002.
#pragma once

#include <memory>

#include "runtime/run/workload.h"

namespace tahoma::workloads {

std::unique_ptr<runtime::Workload> make_attention();

}  // namespace tahoma::workloads
