// SPDX-License-Identifier: Apache-2.0
#include "workloads/training/step/layers.h"

#include <algorithm>

namespace tahoma::workloads {

using runtime::HbmView;

TrainingLayers::TrainingLayers(Fleet& fleet, const TrainingParams& params, const Parameters& parameters,
                               const RowExchange& rows)
    : fleet_(fleet), params_(params), parameters_(parameters), rows_(rows), tables_(fleet, params) {
  const std::size_t layers = params.forward.layers, microbatches = params.microbatches();
  streams_.assign(microbatches, std::vector<std::vector<Matrix>>(layers + 1));
  gradients_of_stream_.assign(microbatches, std::vector<std::vector<TokenRows>>(layers + 1));
  kept_.resize(microbatches);
  for (std::size_t m = 0; m < microbatches; ++m) {
    kept_[m].resize(layers);
    for (std::size_t l = 0; l <= layers; ++l) {
      fleet.each([&](const Cell& c) { streams_[m][l].push_back(rows.own(c, "stream")); });
      fleet.each_rank(
          [&](const Cell& c) { gradients_of_stream_[m][l].push_back(rows.make(c, "stream_gradient")); });
    }
  }
}

void TrainingLayers::declare_inputs() const {
  for (const auto& streams : streams_)
    fleet_.each([&](const Cell& c) { fleet_.replica(c).declare_input(streams[0][fleet_.number(c)].tensor); });
}

HbmView TrainingLayers::stream(const Cell& c, std::size_t layer) const {
  return stream_tensor(c, layer).of(c.physical_core);
}

HbmView TrainingLayers::core_rows(const Matrix& matrix, const Cell& c) const {
  const HbmView whole = matrix.of(c.physical_core);
  const std::uint64_t rows = whole.rows / fleet_.physical_cores();
  return rows_of(whole, c.physical_core * rows, rows);
}

template <class Body>
void TrainingLayers::products(std::size_t layer, Body&& body) {
  for (std::size_t g = 0; g < fleet_.replicas(); ++g) {
    const auto rank = [g](std::size_t r) { return Cell{g, r, 0}; };
    body(Products{fleet_.replica(rank(0)),
                  params_.model(),
                  parameters_.share(),
                  [&](std::size_t r) -> const LayerTensors& { return tape(rank(r)); },
                  [&](std::size_t r) -> const LayerWeights& { return parameters_.weights(rank(r), layer); },
                  {0, rows_.sharding().rows()}},
         rank(0));
  }
}

// Computes the hidden features from the residual stream.
void TrainingLayers::remember(std::size_t layer) {
  tapes_.clear();
  fleet_.each_rank(
      [&](const Cell& c) { tapes_.push_back(make_tape(fleet_, params_, parameters_.share(), rows_, c)); });
  each("attention norm", [&](const Cell& c) {
    part(c).norm(stream(c, layer), nullptr, nullptr, parameters_.gain(c, parameters_.attention_norm(layer)),
                 rows_.own(tape(c).normed, c));
  });
  rows_.all_gather("attention all_gather", [&](const Cell& c) -> const TokenRows& { return tape(c).normed; });
  products(layer, [&](const Products& all, const Cell& first) {
    all.make_heads([&](std::size_t r, std::size_t h) {
      return tape({first.replica, r, 0}).normed.all.of(h);
    });
  });
  attention();
  products(layer, [&](const Products& all, const Cell&) { all.project(); });
  rows_.reduce_scatter("attention reduce_scatter",
                       [&](const Cell& c) -> const TokenRows& { return tape(c).attended; });
  each("mlp norm", [&](const Cell& c) {
    const HbmView attended = rows_.own(tape(c).attended, c),
                  middle = tape(c).middle[c.physical_core].of(c.physical_core);
    part(c).norm(stream(c, layer), &attended, &middle, parameters_.gain(c, parameters_.mlp_norm(layer)),
                 rows_.own(tape(c).normed_mlp, c));
  });
  rows_.all_gather("mlp all_gather", [&](const Cell& c) -> const TokenRows& { return tape(c).normed_mlp; });
  products(layer, [&](const Products& all, const Cell& first) {
    all.widen([&](std::size_t r, std::size_t h) { return tape({first.replica, r, 0}).normed_mlp.all.of(h); });
  });
}

void TrainingLayers::forward(std::size_t layer) {
  remember(layer);
  products(layer, [&](const Products& all, const Cell&) { all.narrow(); });
  rows_.reduce_scatter("mlp reduce_scatter",
                       [&](const Cell& c) -> const TokenRows& { return tape(c).widened; });
  each("residual", [&](const Cell& c) {
    part(c).add(tape(c).middle[c.physical_core].of(c.physical_core), rows_.own(tape(c).widened, c),
                stream(c, layer + 1));
  });
  if (!params_.recomputes()) kept_[microbatch_][layer] = std::move(tapes_);
}

// Queries and keys rotate in place; then each physical core processes its heads.
void TrainingLayers::attention() {
  const RankShare& share = parameters_.share();
  const std::uint64_t rotated = share.heads + share.kv_heads;
  each("rope", [&](const Cell& c) {
    const auto [first, count] = share.units_of(c.physical_core);
    if (first < rotated) rope(c, tape(c).qkv, {first, std::min(count, rotated - first)}, tables_.forward(c));
  });
  fleet_.region("attention");
  fleet_.each_rank([&](const Cell& c) {
    fleet_.replica(c).synchronise(c.rank, [&](std::size_t writer, std::size_t viewer) {
      const auto [first, count] = share.units_of(writer);
      return std::vector<HbmView>{heads_of(tape(c).qkv.of(viewer), first, count, params_.model().head_dim)};
    });
  });
  fleet_.each([&](const Cell& c) {
    const CellHeads at(share, c.physical_core);
    for (std::uint64_t s = 0; s < params_.forward.sequences(); ++s) {
      const auto [q, k, v] = at.of(sequence(tape(c).qkv, c, s), params_.model().head_dim);
      part(c).attention({q,
                         k,
                         v,
                         at.queries(sequence(tape(c).o, c, s), params_.model().head_dim),
                         {at.q, at.heads, 0, 1},
                         share.heads_per_kv,
                         rows_of(tape(c).lse[c.physical_core].of(c.physical_core), s * at.heads, at.heads)});
    }
  });
  fleet_.region("attention");
  synchronise_columns([&](const Cell& c) -> const Matrix& { return tape(c).o; });
}

HbmView TrainingLayers::sequence(const Matrix& matrix, const Cell& c, std::uint64_t number) const {
  const std::uint64_t tokens = params_.forward.tokens;
  return rows_of(matrix.of(c.physical_core), number * tokens, tokens);
}

void TrainingLayers::rope(const Cell& c, const Matrix& matrix, const runtime::Part& heads,
                          const HbmView& table) {
  for (std::uint64_t s = 0; s < params_.forward.sequences(); ++s)
    part(c).rope(heads_of(sequence(matrix, c, s), heads.first, heads.count, params_.model().head_dim), table,
                 params_.model().head_dim);
}

// Each physical core has computed its columns.
void TrainingLayers::synchronise_columns(const Which& which) {
  fleet_.each_rank([&](const Cell& c) {
    fleet_.replica(c).synchronise(c.rank, [&](std::size_t writer, std::size_t viewer) {
      return std::vector<HbmView>{fleet_.replica(c).core_columns(which(c).of(viewer), writer)};
    });
  });
}

void TrainingLayers::fill(const TrainingCase& values) const {
  runtime::Machine& machine = fleet_.machine();
  const RowSharding& sharding = rows_.sharding();
  for (std::size_t m = 0; m < streams_.size(); ++m)
    fleet_.each([&](const Cell& c) {
      const runtime::Tensor& tensor = streams_[m][0][fleet_.number(c)].tensor;
      runtime::copy_window(values.x, {rows_.first_row(c, m), 0, sharding.run, values.x.columns()},
                           machine.bytes(tensor));
    });
}

}  // namespace tahoma::workloads
