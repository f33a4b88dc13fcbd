// SPDX-License-Identifier: Apache-2.0
// The backward pass of workloads/training/step/layers.h.
#include "workloads/training/step/layers.h"

namespace tahoma::workloads {

using runtime::HbmView;

void TrainingLayers::backward(std::size_t layer) {
  if (params_.recomputes())
    remember(layer);
  else
    tapes_ = std::move(kept_[microbatch_][layer]);
  gradients_.clear();
  fleet_.each_rank([&](const Cell& c) {
    gradients_.push_back(make_gradients(fleet_, params_, parameters_.share(), rows_, c));
  });
  back_through_mlp(layer);
  back_through_projection(layer);
  back_through_attention();
  back_through_heads(layer);
}

// The gradient of a product's weights, from the physical core's inputs.
void TrainingLayers::add_gradient(const Cell& c, std::size_t layer, Matrix LayerWeights::*product,
                                  const HbmView& a, const HbmView& dc) {
  const HbmView sum = core_rows(parameters_.gradients(c, layer).*product, c);
  if (!params_.accumulates()) return back(c).weight_gradient(a, dc, sum);
  const HbmView added = core_rows(parameters_.added(c).*product, c);
  back(c).weight_gradient(a, dc, added);
  part(c).add(sum, added, sum);
}

void TrainingLayers::back_through_mlp(std::size_t layer) {
  rows_.all_gather("back mlp all_gather",
                   [&](const Cell& c) -> const TokenRows& { return gradient(c, layer + 1); });
  const auto weights = [&](const Cell& c) -> const LayerWeights& { return parameters_.weights(c, layer); };
  each("back down", [&](const Cell& c) {
    const HbmView after = gradient(c, layer + 1).all.of(c.physical_core);
    back(c).input_gradient(after, core_rows(weights(c).down, c), core_columns(back_tape(c).hidden, c));
    add_gradient(c, layer, &LayerWeights::down, core_columns(tape(c).hidden, c), after);
  });
  each("back activation", [&](const Cell& c) {
    const HbmView dy = core_columns(back_tape(c).hidden, c);
    const auto both = [&](const Matrix& matrix, std::uint64_t number) {
      return core_columns(matrix, c).window(0, number * dy.columns, dy.rows, dy.columns);
    };
    back(c).gated(both(tape(c).gate_up, 0), both(tape(c).gate_up, 1), dy, both(back_tape(c).gate_up, 0),
                  both(back_tape(c).gate_up, 1));
  });
  synchronise_columns([&](const Cell& c) -> const Matrix& { return back_tape(c).gate_up; });
  each("back gate and up", [&](const Cell& c) {
    back(c).input_gradient(back_tape(c).gate_up.of(c.physical_core), core_rows(weights(c).gate_up, c),
                           core_columns(back_tape(c).normed_mlp.all, c));
  });
  synchronise_columns([&](const Cell& c) -> const Matrix& { return back_tape(c).normed_mlp.all; });
  rows_.reduce_scatter("back mlp reduce_scatter",
                       [&](const Cell& c) -> const TokenRows& { return back_tape(c).normed_mlp; });
  each("back gate and up", [&](const Cell& c) {
    add_gradient(c, layer, &LayerWeights::gate_up, core_columns(tape(c).normed_mlp.all, c),
                 back_tape(c).gate_up.of(c.physical_core));
  });
  each("back mlp norm", [&](const Cell& c) {
    const std::size_t norm = parameters_.mlp_norm(layer);
    parameters_.back_through_norm(back(c), c, norm,
                                  {tape(c).middle[c.physical_core].of(c.physical_core),
                                   parameters_.gain(c, norm),
                                   rows_.own(back_tape(c).normed_mlp, c),
                                   rows_.own(back_tape(c).middle, c),
                                   {},
                                   rows_.own(gradient(c, layer + 1), c)});
  });
}

void TrainingLayers::back_through_projection(std::size_t layer) {
  rows_.all_gather("back attention all_gather",
                   [&](const Cell& c) -> const TokenRows& { return back_tape(c).middle; });
  each("back projection", [&](const Cell& c) {
    const HbmView after = back_tape(c).middle.all.of(c.physical_core);
    back(c).input_gradient(after, core_rows(parameters_.weights(c, layer).o, c),
                           core_columns(back_tape(c).o, c));
    add_gradient(c, layer, &LayerWeights::o, core_columns(tape(c).o, c), after);
  });
}

void TrainingLayers::back_through_attention() {
  const RankShare& share = parameters_.share();
  const std::uint64_t d = params_.model().head_dim;
  each("back attention", [&](const Cell& c) {
    const CellHeads at(share, c.physical_core);
    for (std::uint64_t s = 0; s < params_.forward.sequences(); ++s) {
      const auto [q, k, v] = at.of(sequence(tape(c).qkv, c, s), d);
      const auto [dq, dk, dv] = at.of(sequence(back_tape(c).qkv, c, s), d);
      BackwardPart::Attention views{
          .q = q,
          .k = k,
          .v = v,
          .o = at.queries(sequence(tape(c).o, c, s), d),
          .d_o = at.queries(sequence(back_tape(c).o, c, s), d),
          .lse = rows_of(tape(c).lse[c.physical_core].of(c.physical_core), s * at.heads, at.heads),
          .dq = dq,
          .dk = dk,
          .dv = dv,
          .heads = at.heads,
          .heads_per_kv = share.heads_per_kv,
          .dk_sum = {},
          .dv_sum = {}};
      if (!back_tape(c).dk_sum.empty()) {
        views.dk_sum = back_tape(c).dk_sum[c.physical_core].of(c.physical_core);
        views.dv_sum = back_tape(c).dv_sum[c.physical_core].of(c.physical_core);
      }
      back(c).attention(views);
    }
  });
  each("back rope", [&](const Cell& c) {
    const CellHeads at(share, c.physical_core);
    rope(c, back_tape(c).qkv, {at.q, at.heads}, tables_.back(c));
    rope(c, back_tape(c).qkv, {at.k, at.kv_heads}, tables_.back(c));
  });
  fleet_.each_rank([&](const Cell& c) {
    fleet_.replica(c).synchronise(c.rank, [&](std::size_t writer, std::size_t viewer) {
      const auto [dq, dk, dv] = CellHeads(share, writer).of(back_tape(c).qkv.of(viewer), d);
      return std::vector<HbmView>{dq, dk, dv};
    });
  });
}

void TrainingLayers::back_through_heads(std::size_t layer) {
  each("back qkv", [&](const Cell& c) {
    back(c).input_gradient(back_tape(c).qkv.of(c.physical_core),
                           core_rows(parameters_.weights(c, layer).qkv, c),
                           core_columns(back_tape(c).normed.all, c));
  });
  synchronise_columns([&](const Cell& c) -> const Matrix& { return back_tape(c).normed.all; });
  rows_.reduce_scatter("back attention reduce_scatter",
                       [&](const Cell& c) -> const TokenRows& { return back_tape(c).normed; });
  each("back qkv", [&](const Cell& c) {
    add_gradient(c, layer, &LayerWeights::qkv, core_columns(tape(c).normed.all, c),
                 back_tape(c).qkv.of(c.physical_core));
  });
  each("back attention norm", [&](const Cell& c) {
    const std::size_t norm = parameters_.attention_norm(layer);
    parameters_.back_through_norm(back(c), c, norm,
                                  {stream(c, layer),
                                   parameters_.gain(c, norm),
                                   rows_.own(back_tape(c).normed, c),
                                   rows_.own(gradient(c, layer), c),
                                   {},
                                   rows_.own(back_tape(c).middle, c)});
  });
}

}  // namespace tahoma::workloads
