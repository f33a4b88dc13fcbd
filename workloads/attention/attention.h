// SPDX-License-Identifier: Apache-2.0
// The workload `attention`: flash attention forward, heads sharded over cores.
//
//   O[h] = softmax(Q[h] K[h]^T / sqrt(d) + mask) V[h]
//
// Q and O are [heads, q_len, d], K and V [heads, kv_len, d], of one dtype. Causal: query i sees the keys
// j <= i + kv_len - q_len, so that the last query sees all; more queries than keys are refused (E-ATT-001),
// because the first would see nothing. Any lengths, d from 1 to 128. Each core gets whole heads, as evenly as
// they divide, in HBM as flash_kernel.h lays them out: Q and K transposed (d-major). Asking for more cores
// than there are is E-ATT-002.
#pragma once

#include <memory>

#include "runtime/workload.h"

namespace tahoma::workloads {

std::unique_ptr<runtime::Workload> make_attention();

}  // namespace tahoma::workloads
