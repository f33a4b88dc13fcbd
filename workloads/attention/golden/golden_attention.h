// SPDX-License-Identifier: Apache-2.0
// The golden definition of attention's forward pass, and its tolerance (runtime/golden/golden.h has the
// rule).
//
// The reference is double throughout. Rounding the probabilities p to the inputs' dtype, whose unit is u,
// changes a result by k u sqrt(sum p_j^2 v_j^2 / 3), with k deviations as in the rule. The sum of the rounded
// probabilities, which divides the result, changes it by k u sqrt(sum p_j^2 / 3) of itself. In both sums a
// subnormal p_j counts as the smallest normal number, because it is rounded to a multiple of the smallest
// one. Errors that all probabilities of a row may share (scores, exponential, sums) count in full, as a
// multiple of sum p_j |v_j|, which is also the scale of an element's relative error. The logarithm of a row's
// sum has the relative errors of the sum and two roundings of its own.
#pragma once

#include <algorithm>
#include <cstdint>

#include "runtime/golden/golden.h"

namespace tahoma::workloads {

// If causal, query i sees the keys j <= i + kv_len - q_len; with a window, only the last `window` of them.
struct AttentionMask {
  bool causal = false;
  std::uint64_t window = 0;  // 0: all
};
struct AttentionTensors {
  const runtime::HostTensor &q, &k, &v, &o;
};
// o[h] = softmax(scale q[h] k[g]^T + mask) v[g] with q, o [heads,q_len,d], k, v [kv_heads,kv_len,d] and
// g = h kv_heads / heads. Row and column of `made_by` are those of o seen as a matrix: h * q_len + i, d.
runtime::GoldenResult check_attention(const AttentionTensors& tensors, double scale,
                                      const AttentionMask& mask, const runtime::MadeBy& made_by);
// lse[h, i] = log of the sum of exp(scale q[h, i] k[g, j]) over the keys j that it sees, in fp32.
runtime::GoldenResult check_attention_lse(const runtime::HostTensor& q, const runtime::HostTensor& k,
                                          const runtime::HostTensor& lse, double scale,
                                          const AttentionMask& mask, const runtime::MadeBy& made_by);

// Results of a forward pass that the backward one needs, by their definition: LSE as above, and delta[h, i] =
// the sum of d_o o over row (h, i). Both are [heads, q_len] of fp32.
struct AttentionSaved {
  runtime::HostTensor lse, delta;
};
AttentionSaved attention_saved(const runtime::HostTensor& q, const runtime::HostTensor& k,
                               const runtime::HostTensor& v, const runtime::HostTensor& d_o, double scale,
                               const AttentionMask& mask);

// Query rows of a head whose scores are computed at one time: up to 8 MiB of double.
inline std::uint64_t score_rows(std::uint64_t queries, std::uint64_t keys) {
  return std::clamp<std::uint64_t>((std::uint64_t{1} << 20) / keys, 1, queries);
}

}  // namespace tahoma::workloads
