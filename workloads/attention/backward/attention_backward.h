// SPDX-License-Identifier: Apache-2.0
// The workload `attention_backward`: gradients of flash attention, heads sharded over cores.
//
// From Q, dO [heads, q_len, d], K, V [kv_heads, kv_len, d] of one dtype and, as the forward pass leaves them,
// LSE and delta = row sums of dO o O, [heads, q_len] of fp32 (without files computed from the others by their
// definition): dQ, dK and dV of the shapes of Q, K and V. Masks, windows, shared key heads, lengths and their
// errors as in attention.h. Query heads that share keys stay together on a core, because their gradients of
// these add up, and split is 1 or 2 (E-ATT-005).
#pragma once

#include <memory>

#include "runtime/run/workload.h"

namespace tahoma::workloads {

std::unique_ptr<runtime::Workload> make_attention_backward();

}  // namespace tahoma::workloads
