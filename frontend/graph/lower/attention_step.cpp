// SPDX-License-Identifier: Apache-2.0
#include "frontend/graph/lower/attention_step.h"

#include <fmt/format.h>

#include "workloads/attention/flash_kernel.h"
#include "workloads/attention/flash_schedule.h"
#include "workloads/common/transposed_load.h"

namespace tahoma::workloads::graph {

namespace {

std::uint64_t size_of_dim(std::int64_t size) { return static_cast<std::uint64_t>(size); }

// Heads that are neighbours and read the same keys and values are a group: the largest that all heads form.
std::uint64_t group_of(const AttentionStep& a) {
  const std::size_t heads = a.q.at.size();
  std::size_t group = 1;
  while (group < heads && a.k.at[group] == a.k.at[0] && a.v.at[group] == a.v.at[0]) ++group;
  const auto serves = [&](std::size_t size) {
    for (std::size_t h = 0; h < heads; ++h)
      if (a.k.at[h] != a.k.at[h / size * size] || a.v.at[h] != a.v.at[h / size * size]) return false;
    return heads % size == 0;
  };
  while (!serves(group)) --group;
  return group;
}

std::vector<std::uint64_t> every(const std::vector<std::uint64_t>& all, std::uint64_t step) {
  std::vector<std::uint64_t> some;
  for (std::size_t i = 0; i < all.size(); i += step) some.push_back(all[i]);
  return some;
}

runtime::HbmView matrix_of(const Emission& e, const HeadMatrices& m, std::int64_t rows,
                           std::int64_t columns) {
  runtime::HbmView view = e.matrix(m.tensor.slot, size_of_dim(rows), size_of_dim(columns));
  view.row_stride = m.pitch;
  return view;
}

}  // namespace

void add_attention(Lowering& lowering, AttentionStep a) {
  FlashShape shape;
  shape.heads = a.q.at.size();
  shape.q_len = size_of_dim(a.queries);
  shape.kv_len = size_of_dim(a.keys);
  shape.d = size_of_dim(a.features);
  shape.v_d = size_of_dim(a.values);
  shape.causal = a.causal;
  shape.dtype = lowering.dtype(a.q.tensor);
  shape.heads_per_kv = group_of(a);
  shape.by_rows = true;
  shape.scale = static_cast<float>(a.scale);
  a.k.at = every(a.k.at, shape.heads_per_kv);
  a.v.at = every(a.v.at, shape.heads_per_kv);
  Step step;
  step.kernel = "attention";
  step.engine = StepEngine::kTensor;
  step.dtype = shape.dtype;
  step.on_array = true;
  step.flops = 2.0 * static_cast<double>(shape.d + shape.v_d) * visible_pairs(shape);
  const auto size = static_cast<double>(isa::size_of(shape.dtype));
  step.bytes = size * (static_cast<double>(shape.heads * shape.q_len * (shape.d + shape.v_d)) +
                       static_cast<double>(a.k.at.size() * shape.kv_len * (shape.d + shape.v_d)));
  for (const HeadMatrices& mask : a.masks) {
    shape.masks.push_back(lowering.dtype(mask.tensor));
    step.bytes += lowering.bytes(mask.tensor);
  }
  for (const HeadMatrices* m : {&a.q, &a.k})  // transposing loads read whole multiples of rows
    lowering.spare(m->tensor, kTransposeRows * std::max(size_of_dim(m->pitch), shape.d));
  step.tiles = fmt::format("{} heads of {}x{}, {} queries, {} keys{}", shape.heads, shape.d, shape.v_d,
                           shape.q_len, shape.kv_len, shape.causal ? ", causal" : "");
  step.emit = [shape, a](Emission& e) {
    FlashViews views;
    views.q = matrix_of(e, a.q, a.queries, a.features);
    views.k = matrix_of(e, a.k, a.keys, a.features);
    views.v = matrix_of(e, a.v, a.keys, a.values);
    views.o = matrix_of(e, a.out, a.queries, a.values);
    views.heads = {a.q.at, a.k.at, a.v.at, a.out.at};
    for (const HeadMatrices& mask : a.masks)
      views.masks.push_back({matrix_of(e, mask, a.queries, a.keys), mask.at});
    emit_flash(e.kernel, e.machine, shape, views);
  };
  lowering.add(std::move(step));
}

}  // namespace tahoma::workloads::graph
