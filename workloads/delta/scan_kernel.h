// SPDX-License-Identifier: Apache-2.0
// The rule of Mamba-2 (delta_shape.h) behind the convolution, of all heads of a core.
//
// A prefill works on chunks of 128 tokens (Dao and Gu 2024, section 6). With G the sums of g from the begin
// of the chunk, K, Q and V its keys, queries and values as rows, b the rates, and S the state before it:
//
//   O = diag(exp G) Q S + M diag(b) V + skip V,  M_ij = (q_i k_j) exp(G_i - G_j) for j <= i, else 0
//   S = exp(G_last) S + K^T diag(exp(G_last - G) b) V
//
// Heads that share keys multiply states and values together. Products have operands of bf16 and sums of fp32;
// states and their decays are fp32.
//
// A decoding step reads and writes each state once: o = b (q k) v + exp(g) q S + skip v. A query or key, with
// zeros in the columns or rows of the other sequences, lets products of all sequences add up in one place.
#pragma once

#include "workloads/delta/delta_shape.h"

namespace tahoma::workloads {

// These write what those of delta_kernel.h write, but for `mixed` and `past`.
void emit_scan_chunks(runtime::Kernel& kernel, const model::MachineParams& machine, const DeltaHeads& heads,
                      std::uint64_t tokens, float epsilon, const DeltaViews& views);
void emit_scan_step(runtime::Kernel& kernel, const model::MachineParams& machine, const DeltaHeads& heads,
                    std::uint64_t sequences, float epsilon, const DeltaViews& views);

}  // namespace tahoma::workloads
