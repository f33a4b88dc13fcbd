// SPDX-License-Identifier: Apache-2.0
// The gated delta rule, or that of Mamba-2 (delta_shape.h), of all heads of a core.
//
// A prefill works on chunks of 64 tokens (Yang et al. 2024, section 3.2). With G the sums of g from the begin
// of the chunk, K, Q and V its keys, queries and values as rows, and S the state before it:
//
//   A_ij = b_i (k_i k_j) exp(G_i - G_j) for j < i, else 0          T = (1 + A)^-1
//   U = T diag(b) (V - diag(exp G) K S)
//   O = diag(exp G) Q S + M U,  M_ij = (q_i k_j) exp(G_i - G_j) for j <= i, else 0
//   S = exp(G_last) S + (diag(exp(G_last - G)) K)^T U
//
// A is nilpotent, so T is the product of 1 + (-A)^(2^m), six factors of 64 x 64 in fp32. Other products have
// operands of bf16 and sums of fp32; states and their decays are fp32.
//
// A decoding step reads and writes each state once. The array multiplies a state, as it stays, by a key and a
// query, and adds k u as a product over the sequences of which one row is not 0.
//
// With Mamba-2 the kernels of scan_kernel.h follow the convolution. key_dim and value_dim are at most 128,
// with Mamba-2 key_dim at most 256. Not modelled: states in bf16, and states of a prefill that begin at other
// values than 0.
#pragma once

#include "workloads/delta/delta_shape.h"

namespace tahoma::workloads {

// Sequences of `tokens` rows each, one after the other; `states` has as many. Writes `mixed`, `out` and
// `states`.
void emit_delta_chunks(runtime::Kernel& kernel, const model::MachineParams& machine, const DeltaHeads& heads,
                       std::uint64_t tokens, float epsilon, const DeltaViews& views);

// One new token of each sequence, row by row. Changes `states`, and the oldest tokens of `past`.
void emit_delta_step(runtime::Kernel& kernel, const model::MachineParams& machine, const DeltaHeads& heads,
                     std::uint64_t sequences, float epsilon, const DeltaViews& views);

}  // namespace tahoma::workloads
