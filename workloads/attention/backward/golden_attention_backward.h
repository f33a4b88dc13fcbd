// SPDX-License-Identifier: Apache-2.0
// The golden definition of attention's backward pass, and its tolerance (runtime/golden/golden.h has the
// rule).
//
// The reference is double throughout, from LSE and delta as the machine received them. A probability P has
// the error of its rounding to the dtype (independent), and errors that its row or its score share: the
// score, the exponential, LSE. An element of dS has the errors of the rounding of P and of dS itself, the
// relative error of its probability, and P times the errors of dP - delta. Independent errors contribute the
// rule's deviations of the root of their sum of squares; all others count in full. A rounding of P or dS is
// relative to its value, or absolute if that is subnormal.
#pragma once

#include <functional>
#include <string>

#include "workloads/attention/golden/golden_attention.h"

namespace tahoma::workloads {

// With S = scale q k^T + mask, P = exp(S - lse), dP = d_o v^T and dS = P o (dP - delta):
//   dq = scale dS k     dk = scale dS^T q     dv = P^T d_o,
// the last two are summed over the heads that share a key head. Shapes as in golden_attention.h; lse and
// delta are [heads, q_len].
struct AttentionGradients {
  const runtime::HostTensor &q, &k, &v, &d_o, &lse, &delta, &dq, &dk, &dv;
};
runtime::GoldenResult check_attention_backward(
    const AttentionGradients& tensors, double scale, const AttentionMask& mask,
    const std::function<runtime::MadeBy(const std::string& output)>& maker);

}  // namespace tahoma::workloads
