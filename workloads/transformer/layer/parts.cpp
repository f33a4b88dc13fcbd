// SPDX-License-Identifier: Apache-2.0
#include "workloads/transformer/layer/parts.h"

#include <algorithm>
#include <utility>

#include "workloads/attention/flash_kernel.h"
#include "workloads/common/transposed_load.h"
#include "workloads/decode/decode_kernel.h"
#include "workloads/decode/decode_merge.h"
#include "workloads/gemm/kernel/gemm_kernel.h"
#include "workloads/mlp/gated.h"
#include "workloads/norm/layer_norm_kernel.h"
#include "workloads/norm/row_sum.h"
#include "workloads/rms_norm/rms_norm_kernel.h"
#include "workloads/rope/rope_kernel.h"

namespace tahoma::workloads {

using runtime::HbmView, runtime::Kernel, runtime::TileView;

namespace {

GemmShape product_shape(const HbmView& a, const HbmView& b, const HbmView& c) {
  GemmShape shape;
  shape.m = a.rows;
  shape.n = c.columns;
  shape.k = a.columns;
  shape.dtype = a.dtype;
  if (b.dtype != shape.dtype) shape.b_dtype = b.dtype;
  if (isa::size_of(a.dtype) == 1) shape.mode = isa::MatmulMode::kDoubleRow;
  shape.out = c.dtype;
  shape.a_by_rows = true;
  return shape;
}

// Calls body(tile) for each tile of x, which it changes in place.
template <class Body>
void change(const LayerPart& part, const HbmView& x, const char* name, const Body& body) {
  constexpr std::uint64_t kColumns = 4096;
  runtime::Kernel& kernel = part.kernel;
  const Kernel::Scope scope(kernel);
  const auto width = static_cast<unsigned>(std::min(kColumns, x.columns));
  const runtime::Pool pool = kernel.sbuf(name, x.dtype, width, 3);
  const auto height = static_cast<unsigned>(part.machine.chip.core.sbuf.partitions);
  for (const Range& rows : cut(all_of(x.rows), height))
    for (const Range& columns : cut(all_of(x.columns), width)) {
      const HbmView window = x.window(rows.first, columns.first, rows.count, columns.count);
      const TileView tile = kernel.take(pool, rows.count, columns.count);
      kernel.load(tile, window);
      body(tile);
      kernel.store(window, tile, isa::Queue::kGpSimd);
    }
}

}  // namespace

void LayerPart::product(const HbmView& a, const HbmView& b, const HbmView& c,
                        const std::optional<HbmView>& bias, bool activated) const {
  const Kernel::Scope scope(kernel);
  GemmShape shape = product_shape(a, b, c);
  if (bias) shape.epilogue.bias = BiasOf::kColumns;
  if (activated) shape.epilogue.activation = model.activation;
  shape.epilogue.squared = activated && model.squared;
  emit_gemm(GemmNest::kChosen, kernel, machine, shape, {a, b, c, {}, bias.value_or(HbmView{}), {}});
}

void LayerPart::model_norm(const HbmView& x, const HbmView* add, const HbmView* sum,
                           const NormViews& of_model, const HbmView& y) const {
  if (model.norm == NormKind::kRms) return norm(x, add, sum, of_model.gain, y);
  const Kernel::Scope scope(kernel);
  LayerNormViews views{x, of_model.gain, y, of_model.bias, {}, {}, {}, {}};
  if (add != nullptr) views.add = *add;
  if (sum != nullptr) views.sum = *sum;
  emit_layer_norm(kernel, machine, {x.rows, x.columns, kModelDType, static_cast<float>(model.epsilon)},
                  views);
}

void LayerPart::sublayer_norm(const HbmView& x, const HbmView* added, const HbmView* sum,
                              const NormViews& norm, const HbmView& y) const {
  if (model.pre_norm) return model_norm(x, added, sum, norm, y);
  if (added != nullptr) add(x, *added, *sum);
  kernel.move(y, added != nullptr ? *sum : x, isa::Queue::kSync);
}

void LayerPart::sum_norm(const HbmView& x, const HbmView& added, const NormViews& norm, const HbmView& y,
                         const HbmView* copy) const {
  model_norm(x, &added, nullptr, norm, y);
  if (copy != nullptr) kernel.move(*copy, y, isa::Queue::kSync);
}

void LayerPart::norm(const HbmView& x, const HbmView* add, const HbmView* sum, const HbmView& gain,
                     const HbmView& y) const {
  const Kernel::Scope scope(kernel);
  RmsNormViews views{x, gain, y, {}, {}};
  if (add != nullptr) views.add = *add;
  if (sum != nullptr) views.sum = *sum;
  emit_rms_norm(kernel, machine, {x.rows, x.columns, kModelDType, static_cast<float>(model.epsilon)}, views);
}

void LayerPart::squares(const HbmView& x, const HbmView& sums) const {
  constexpr std::uint64_t kColumns = 4096;
  const Kernel::Scope scope(kernel);
  const auto width = static_cast<unsigned>(std::min(kColumns, x.columns));
  const runtime::Pool pool = kernel.sbuf("x", x.dtype, width, 3),
                      made = kernel.sbuf("squares", isa::DType::kBf16, width, 2),
                      results = kernel.sbuf("sums", isa::DType::kFp32, 1, 3);
  for (const Range& rows : cut(all_of(x.rows), static_cast<unsigned>(machine.chip.core.sbuf.partitions))) {
    const TileView result = kernel.take(results, rows.count, 1);
    RowSum sum(kernel, result);
    for (const Range& columns : cut(all_of(x.columns), width)) {
      const TileView tile = kernel.take(pool, rows.count, columns.count);
      kernel.load(tile, x.window(rows.first, columns.first, rows.count, columns.count));
      sum.add(kernel.take(made, rows.count, columns.count), tile, isa::ActFn::kSquare,
              columns.end() == x.columns);
    }
    kernel.store(rows_of(sums, rows.first, rows.count), result, isa::Queue::kGpSimd);
  }
}

void LayerPart::norm_by(const HbmView& x, const HbmView& sums, std::uint64_t elements,
                        const HbmView& gain) const {
  const Kernel::Scope scope(kernel);
  RmsNormViews views{x, gain, x, {}, {}};
  views.squares = sums;
  RmsNormShape shape{x.rows, x.columns, kModelDType, static_cast<float>(model.epsilon)};
  shape.elements = elements;
  emit_rms_norm(kernel, machine, shape, views);
}

void LayerPart::add(const HbmView& a, const HbmView& b, const HbmView& y) const {
  add_gated(a, b, nullptr, y);
}

void LayerPart::add_gated(const HbmView& a, const HbmView& b, const HbmView* gates, const HbmView& y) const {
  constexpr std::uint64_t kColumns = 4096;
  const Kernel::Scope scope(kernel);
  const auto width = static_cast<unsigned>(std::min(kColumns, a.columns));
  const runtime::Pool left = kernel.sbuf("a", y.dtype, width, 3), right = kernel.sbuf("b", y.dtype, width, 3);
  std::optional<runtime::Pool> factors;
  if (gates != nullptr) factors = kernel.sbuf("gates", isa::DType::kFp32, 1, 3);
  for (const Range& rows : cut(all_of(a.rows), static_cast<unsigned>(machine.chip.core.sbuf.partitions))) {
    std::optional<TileView> factor;
    if (factors) {
      factor = kernel.take(*factors, rows.count, 1);
      kernel.load(*factor, rows_of(*gates, rows.first, rows.count));
      kernel.activation(*factor, *factor, isa::ActFn::kSigmoid);
    }
    for (const Range& columns : cut(all_of(a.columns), width)) {
      const auto window = [&](const HbmView& view) {
        return view.window(rows.first, columns.first, rows.count, columns.count);
      };
      const TileView x = kernel.take(left, rows.count, columns.count),
                     d = kernel.take(right, rows.count, columns.count);
      kernel.load(x, window(a));
      kernel.load(d, window(b));
      if (factor)
        kernel.scalar_tensor_tensor(x, d, isa::AluOp::kMult, {0, &*factor}, isa::AluOp::kAdd, x);
      else
        kernel.tensor_tensor(x, x, d, isa::AluOp::kAdd);
      kernel.store(window(y), x, isa::Queue::kGpSimd);
    }
  }
}

void LayerPart::limit(const HbmView& x, double most) const {
  change(*this, x, "limited", [&](const TileView& tile) {
    kernel.tensor_scalar(tile, tile, isa::AluOp::kMin, {static_cast<float>(most), nullptr}, isa::AluOp::kMax,
                         {static_cast<float>(-most), nullptr});
  });
}

void LayerPart::scale_rows(const HbmView& x, const HbmView& numbers, const HbmView& y) const {
  constexpr std::uint64_t kColumns = 4096;
  const Kernel::Scope scope(kernel);
  const auto width = static_cast<unsigned>(std::min(kColumns, x.columns));
  const runtime::Pool xs = kernel.sbuf("x", x.dtype, width, 3),
                      factors = kernel.sbuf("numbers", isa::DType::kFp32, 1, 4);
  for (const Range& rows : cut(all_of(x.rows), static_cast<unsigned>(machine.chip.core.sbuf.partitions))) {
    const TileView factor = kernel.take(factors, rows.count, 1), ones = kernel.take(factors, rows.count, 1);
    kernel.load(factor, rows_of(numbers, rows.first, rows.count));
    for (const Range& columns : cut(all_of(x.columns), width)) {
      const TileView tile = kernel.take(xs, rows.count, columns.count);
      kernel.load(tile, x.window(rows.first, columns.first, rows.count, columns.count));
      kernel.tensor_scalar(tile, tile, isa::AluOp::kMult, {0, &factor});
      kernel.store(y.window(rows.first, columns.first, rows.count, columns.count), tile, isa::Queue::kGpSimd);
    }
    kernel.memset(ones, 1);
    kernel.store(rows_of(numbers, rows.first, rows.count), ones, isa::Queue::kGpSimd);
  }
}

void LayerPart::scale(const HbmView& x, const HbmView& gates) const {
  constexpr std::uint64_t kColumns = 4096;
  const Kernel::Scope scope(kernel);
  const auto width = static_cast<unsigned>(std::min(kColumns, x.columns));
  const runtime::Pool xs = kernel.sbuf("x", x.dtype, width, 3),
                      factors = kernel.sbuf("gates", gates.dtype, width, 3);
  for (const Range& rows : cut(all_of(x.rows), static_cast<unsigned>(machine.chip.core.sbuf.partitions)))
    for (const Range& columns : cut(all_of(x.columns), width)) {
      const auto window = [&](const HbmView& view) {
        return view.window(rows.first, columns.first, rows.count, columns.count);
      };
      const TileView tile = kernel.take(xs, rows.count, columns.count),
                     factor = kernel.take(factors, rows.count, columns.count);
      kernel.load(tile, window(x));
      kernel.load(factor, window(gates));
      kernel.activation(factor, factor, isa::ActFn::kSigmoid);
      kernel.tensor_tensor(tile, tile, factor, isa::AluOp::kMult);
      kernel.store(window(x), tile, isa::Queue::kGpSimd);
    }
}

void LayerPart::rope(const HbmView& heads, const HbmView& table, std::uint64_t features) const {
  const Kernel::Scope scope(kernel);
  RopeShape shape;
  shape.tokens = heads.rows;
  shape.d = table.columns;
  shape.pitch = features;
  shape.heads = heads.columns / features;
  shape.dtype = kModelDType;
  emit_rope(kernel, machine, shape, {heads, table, heads, {}});
}

void LayerPart::gated(const HbmView& gate, const HbmView& up, const HbmView& y) const {
  const Kernel::Scope scope(kernel);
  emit_gated(kernel, machine,
             {gate.rows, gate.columns, kModelDType, model.activation, static_cast<float>(model.gate_limit)},
             {gate, up, y});
}

void LayerPart::bound(const HbmView& x, double cap) const {
  change(*this, x, "bounded", [&](const TileView& tile) {
    kernel.activation(tile, tile, isa::ActFn::kTanh, {static_cast<float>(1 / cap), nullptr});
    kernel.tensor_scalar(tile, tile, isa::AluOp::kMult, {static_cast<float>(cap), nullptr});
  });
}

void LayerPart::attention(const Attention& a) const {
  const Kernel::Scope scope(kernel);
  const LatentShape& latent = model.latent;
  FlashShape shape;
  if (latent) {
    shape.shared_d = latent.rope;
    shape.v_d = latent.values;
  }
  shape.heads = a.heads.count;
  shape.q_len = a.q.rows;
  shape.kv_len = a.k.rows;
  shape.d = model.head_dim;
  shape.causal = !model.bidirectional;
  shape.dtype = kModelDType;
  shape.heads_per_kv = a.heads_per_kv;
  shape.first_head = a.heads.first % a.heads_per_kv;
  shape.part = a.heads.part;
  shape.parts = a.heads.parts;
  shape.by_rows = true;
  shape.lse = a.lse.has_value();
  shape.scale = static_cast<float>(model.query_scale);
  shape.cap = static_cast<float>(model.score_cap);
  shape.window = a.window < a.k.rows ? a.window : 0;
  emit_flash(kernel, machine, shape, {a.q, a.k, a.v, a.o, a.lse.value_or(HbmView{}), a.q_rope, a.k_rope});
}

void LayerPart::sink(const HbmView& lse, const HbmView& sinks, const HbmView& o) const {
  const Kernel::Scope scope(kernel);
  const auto heads = static_cast<unsigned>(sinks.columns), height = kTransposeColumns,
             width = static_cast<unsigned>(transposed_load_rows(heads)),
             columns = static_cast<unsigned>(o.columns), d = columns / heads;
  constexpr isa::DType kWide = isa::DType::kFp32;
  const runtime::Pool sums = kernel.sbuf("log-sums", kWide, width, 2),
                      scores = kernel.sbuf("sinks", kWide, heads, 2),
                      factors = kernel.sbuf("factors", kWide, heads, 2),
                      outputs = kernel.sbuf("o", o.dtype, columns, 3);
  for (const Range& rows : cut(all_of(o.rows), height)) {
    const TileView log_sums =
        load_transposed_tokens(kernel, kernel.take(sums, rows.count, width), lse, {0, heads}, rows);
    const TileView score = kernel.take(scores, rows.count, heads),
                   factor = kernel.take(factors, rows.count, heads),
                   tile = kernel.take(outputs, rows.count, columns);
    HbmView repeated = sinks;
    repeated.rows = rows.count;
    repeated.row_stride = 0;
    kernel.load(score, repeated);
    kernel.load(tile, rows_of(o, rows.first, rows.count));
    kernel.tensor_tensor(factor, log_sums, score, isa::AluOp::kSubtract);
    kernel.activation(factor, factor, isa::ActFn::kSigmoid);
    for (unsigned head = 0; head < heads; ++head) {
      const TileView own = tile.columns(head * d, d), share = factor.columns(head, 1);
      kernel.tensor_scalar(own, own, isa::AluOp::kMult, {0, &share});
    }
    kernel.store(rows_of(o, rows.first, rows.count), tile, isa::Queue::kGpSimd);
  }
}

void LayerPart::decode(const Decode& d) const {
  const Kernel::Scope scope(kernel);
  DecodeShape shape;
  shape.kv_heads = d.kv_heads;
  shape.lengths.assign(d.sequences, d.tokens);
  shape.capacity = d.tokens;
  shape.group = d.heads_per_kv;
  shape.d = model.latent ? model.latent.cached() : model.head_dim;
  shape.latent = model.latent.kv_rank;
  shape.dtype = kModelDType;
  shape.by_rows = true;
  shape.lse = d.lse != nullptr;
  shape.scale = static_cast<float>(model.score_scale());
  shape.cap = static_cast<float>(model.score_cap);
  emit_decode(kernel, machine, shape,
              {d.q, d.k, d.v, d.o, {}, d.lse == nullptr ? HbmView{} : *d.lse, d.q_rope});
}

void LayerPart::merge(std::uint64_t parts, std::uint64_t heads, const HbmView& of_parts, const HbmView& lse,
                      const HbmView& o) const {
  const Kernel::Scope scope(kernel);
  emit_decode_merge(kernel, machine, {parts, o.rows, heads, model.head_dim, kModelDType}, {of_parts, lse, o});
}

}  // namespace tahoma::workloads
