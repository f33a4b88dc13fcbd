// SPDX-License-Identifier: Apache-2.0
#include "workloads/training/step/backward_parts.h"

#include "workloads/attention/backward/flash_backward.h"
#include "workloads/gemm/kernel/gemm_kernel.h"
#include "workloads/mlp/gated.h"
#include "workloads/norm/norm_backward_kernel.h"

namespace tahoma::workloads {

using runtime::HbmView, runtime::Kernel;

namespace {

FlashShape flash_shape(const ModelShape& model, std::uint64_t tokens, std::uint64_t heads,
                       std::uint64_t heads_per_kv) {
  FlashShape shape;
  shape.heads = heads;
  shape.q_len = shape.kv_len = tokens;
  shape.d = model.head_dim;
  shape.causal = true;
  shape.dtype = kModelDType;
  shape.heads_per_kv = heads_per_kv;
  shape.lse = shape.by_rows = true;
  return shape;
}

}  // namespace

void BackwardPart::input_gradient(const HbmView& dc, const HbmView& b, const HbmView& da) const {
  const Kernel::Scope scope(kernel);
  GemmShape shape{da.rows, da.columns, dc.columns, kModelDType, kModelDType};
  shape.a_by_rows = shape.b_by_rows = true;
  GemmViews views;
  views.a = dc;
  views.b = b;
  views.c = da;
  emit_gemm(GemmNest::kChosen, kernel, machine, shape, views);
}

void BackwardPart::weight_gradient(const HbmView& a, const HbmView& dc, const HbmView& db) const {
  const Kernel::Scope scope(kernel);
  const GemmShape shape{db.rows, db.columns, a.rows, kModelDType, isa::DType::kFp32};
  GemmViews views;
  views.a = a;
  views.b = dc;
  views.c = db;
  emit_gemm(GemmNest::kChosen, kernel, machine, shape, views);
}

void BackwardPart::norm(const Norm& n) const {
  const Kernel::Scope scope(kernel);
  emit_rms_norm_backward(kernel, machine,
                         {n.x.rows, n.x.columns, kModelDType, static_cast<float>(model.epsilon)},
                         {n.x, n.gain, n.dy, n.dx, n.dgain, n.add});
}

void BackwardPart::gated(const HbmView& gate, const HbmView& up, const HbmView& dy, const HbmView& dgate,
                         const HbmView& dup) const {
  const Kernel::Scope scope(kernel);
  emit_gated_backward(kernel, machine, {gate.rows, gate.columns, kModelDType, isa::ActFn::kSilu},
                      {gate, up, dy, dgate, dup});
}

void BackwardPart::attention(const Attention& a) const {
  const Kernel::Scope scope(kernel);
  const FlashShape shape = flash_shape(model, a.q.rows, a.heads, a.heads_per_kv);
  FlashBackwardViews views;
  views.q = a.q;
  views.k = a.k;
  views.v = a.v;
  views.o = a.o;
  views.d_o = a.d_o;
  views.lse = a.lse;
  views.dq = a.dq;
  views.dk = a.dk;
  views.dv = a.dv;
  views.dk_sum = a.dk_sum;
  views.dv_sum = a.dv_sum;
  emit_flash_backward(kernel, machine, shape, views);
}

bool BackwardPart::needs_sums(const model::MachineParams& machine, const ModelShape& model,
                              std::uint64_t tokens, std::uint64_t heads, std::uint64_t heads_per_kv) {
  const FlashShape shape = flash_shape(model, tokens, heads, heads_per_kv);
  return in_segments(shape, backward_tiling_of(machine, shape));
}

}  // namespace tahoma::workloads
