// SPDX-License-Identifier: Apache-2.0
// The parts of a layer's backward pass on one physical core of a rank, token-major like those of the forward
// pass (workloads/transformer/layer/parts.h). Each part can use the whole on-chip memory.
#pragma once

#include "workloads/transformer/layer/parts.h"

namespace tahoma::workloads {

struct BackwardPart {
  runtime::Kernel& kernel;
  const model::MachineParams& machine;
  const ModelShape& model;

  // The gradient of c = a b: da [m, k] = dc [m, n] b^T, with b [k, n].
  void input_gradient(const runtime::HbmView& dc, const runtime::HbmView& b,
                      const runtime::HbmView& da) const;
  // db [k, n] = a^T dc in fp32, with a [m, k].
  void weight_gradient(const runtime::HbmView& a, const runtime::HbmView& dc,
                       const runtime::HbmView& db) const;
  // The gradient of y = norm(x; gain): dx, plus `add` if there is one, and dgain [1, columns] of these rows
  // in fp32.
  struct Norm {
    runtime::HbmView x, gain, dy, dx, dgain;
    std::optional<runtime::HbmView> add;
  };
  void norm(const Norm& n) const;
  // The gradient of y = silu(gate) * up.
  void gated(const runtime::HbmView& gate, const runtime::HbmView& up, const runtime::HbmView& dy,
             const runtime::HbmView& dgate, const runtime::HbmView& dup) const;
  // One sequence, causal; heads as in LayerPart::Attention, and lse from the forward pass.
  struct Attention {
    runtime::HbmView q, k, v, o, d_o, lse, dq, dk, dv;
    std::uint64_t heads, heads_per_kv;
    runtime::HbmView dk_sum, dv_sum;  // like k and v but fp32, if it needs_sums()
  };
  void attention(const Attention& a) const;
  // Whether the queries of one sequence do not fit on chip at once.
  static bool needs_sums(const model::MachineParams& machine, const ModelShape& model, std::uint64_t tokens,
                         std::uint64_t heads, std::uint64_t heads_per_kv);
};

}  // namespace tahoma::workloads
