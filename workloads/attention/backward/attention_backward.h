// SPDX-License-Identifier: Apache-2.0
// The workload `attention_backward`: gradients of flash attention, heads sharded over cores.
//
// The inputs are Q, dO [heads, q_len, d], K, V [kv_heads, kv_len, d] of one dtype, and LSE and delta = row
// sums of dO o O, [heads, q_len] of fp32, as the forward pass leaves them (without files, both are computed
// from the other inputs by definition). The outputs are dQ, dK and dV with the shapes of Q, K and V. Masks,
// windows, shared key heads, lengths and their errors are as in attention.h. Query heads that share keys stay
// together on a core, because their gradients of these keys add up; split is 1 or 2 (E-ATT-005).
#pragma once

#include <memory>

#include "runtime/workload/workload.h"

namespace tahoma::workloads {

std::unique_ptr<runtime::Workload> make_attention_backward();

}  // namespace tahoma::workloads
