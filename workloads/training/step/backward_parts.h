// SPDX-License-Identifier: Apache-2.0
// The parts of a layer's backward pass on one physical core of a rank, token-major as those of the forward
// pass (workloads/transformer/layer/parts.h), each with the on-chip memory to itself.
#pragma once

#include "workloads/transformer/layer/parts.h"

namespace tahoma::workloads {

struct BackwardPart {
  runtime::Kernel& kernel;
  const model::MachineParams& machine;
  const ModelShape& model;

  // Of c = a b: da [m, k] = dc [m, n] b^T, with b [k, n].
  void input_gradient(const runtime::HbmView& dc, const runtime::HbmView& b,
                      const runtime::HbmView& da) const;
  // db [k, n] = a^T dc in fp32, with a [m, k].
  void weight_gradient(const runtime::HbmView& a, const runtime::HbmView& dc,
                       const runtime::HbmView& db) const;
  // Of y = norm(x; gain): dx, with `add` added to it if there is one, and dgain [1, columns] of these rows in
  // fp32.
  struct Norm {
    runtime::HbmView x, gain, dy, dx, dgain;
    std::optional<runtime::HbmView> add;
  };
  void norm(const Norm& n) const;
  // Of y = silu(gate) * up.
  void gated(const runtime::HbmView& gate, const runtime::HbmView& up, const runtime::HbmView& dy,
             const runtime::HbmView& dgate, const runtime::HbmView& dup) const;
  // One sequence, causal; heads as in LayerPart::Attention, lse what the forward pass left.
  struct Attention {
    runtime::HbmView q, k, v, o, d_o, lse, dq, dk, dv;
    std::uint64_t heads, heads_per_kv;
    runtime::HbmView dk_sum, dv_sum;  // like k and v in fp32, where it needs_sums()
  };
  void attention(const Attention& a) const;
  // Queries of one sequence too long to be on chip at once.
  static bool needs_sums(const model::MachineParams& machine, const ModelShape& model, std::uint64_t tokens,
                         std::uint64_t heads, std::uint64_t heads_per_kv);
};

}  // namespace tahoma::workloads
