// SPDX-License-Identifier: Apache-2.0
#include "workloads/transformer/prefill/prefill_stage_tensors.h"

#include "workloads/common/transposed_load.h"

namespace tahoma::workloads {

PrefillStageTensors::PrefillStageTensors(Replica& replica, const TransformerParams& params,
                                         const Station& station, const RankShare& share,
                                         const RowSharding& rows, const TokenSharding& tokens)
    : replica_(replica),
      params_(params),
      share_(share),
      rows_(rows),
      tokens_(tokens),
      first_layer_(params.first_layer + params.layers_of_stage(station.stage).first),
      layers_(params.layers_of_stage(station.stage).count),
      first_stage_(station.before == nullptr) {
  const ModelShape& m = params.model;
  for (std::size_t r = 0; r < replica.ranks(); ++r) {
    OfRank& rank = ranks_.emplace_back();
    for (std::size_t l = 0; l < layers_; ++l)
      rank.weights.emplace_back(replica, r, m, share.of_layer(params.model, first_layer_ + l));
    rank.table = replica.shared(r, "rope_table", kModelDType, tokens.tokens(), m.rotary_dim());
    replica.declare_input(rank.table.tensor);
    if (m.rope.local_theta > 0) {
      rank.local_table = replica.shared(r, "local_rope_table", kModelDType, tokens.tokens(), m.rotary_dim());
      replica.declare_input(rank.local_table.tensor);
    }
    if (params.cached > 0) allocate_caches(r);
    for (std::size_t b = 0; b < params.microbatches; ++b) {
      rank.in.emplace_back();
      rank.out.emplace_back();
      for (std::size_t h = 0; h < replica.physical_cores(); ++h) {
        const Matrix& in =
            rank.in[b].emplace_back(replica.own(r, h, "in", kModelDType, rows.own(), m.hidden));
        if (station.before != nullptr)
          station.before->expect(r, h, in, in.of(h));
        else if (!params.logits)
          replica.declare_input(in.tensor);
        rank.out[b].push_back(replica.own(r, h, "out", kModelDType, rows.own(), m.hidden));
      }
    }
  }
}

// Token-major, as the products leave heads; rows behind the last sequence are read, but not used.
void PrefillStageTensors::allocate_caches(std::size_t r) {
  const std::uint64_t rows = params_.sequences() * cache_tokens(),
                      columns = 2 * share_.kv_heads * params_.model.head_dim;
  for (std::size_t l = 0; l < layers_; ++l) {
    std::vector<Matrix>& caches = ranks_[r].caches.emplace_back();
    for (std::size_t b = 0; b < params_.microbatches; ++b) {
      caches.push_back(
          replica_.shared(r, "kv_cache", kModelDType, transposed_tensor_rows(rows, cache_tokens()), columns));
      replica_.declare_input(caches.back().tensor);
    }
  }
}

std::uint64_t PrefillStageTensors::case_row(std::size_t g, std::size_t b, std::uint64_t row) const {
  const std::uint64_t sequence =
      (replica_.alike()[g].number * params_.microbatches + b) * params_.sequences() + row / tokens_.tokens();
  return sequence * params_.tokens + tokens_.position(row % tokens_.tokens());
}

template <class Body>
void PrefillStageTensors::for_rows(Body&& body) const {
  for (std::size_t g = 0; g < replica_.alike().size(); ++g)
    for (std::size_t b = 0; b < params_.microbatches; ++b)
      for (std::size_t r = 0; r < rows_.ranks; ++r)
        for (std::size_t h = 0; h < rows_.physical_cores; ++h)
          for (std::uint64_t own = 0; own < rows_.own(); ++own) {
            const std::uint64_t row = rows_.first(own / rows_.run, h, r) + own % rows_.run;
            body(g, b, r, h, own, case_row(g, b, row));
          }
}

// The rows of each of the group's runs.
void PrefillStageTensors::fill_table(runtime::Machine& machine, const Matrix& matrix,
                                     const runtime::HostTensor& values) const {
  runtime::HostTensor table =
      runtime::make_tensor("rope_table", kModelDType, {tokens_.tokens(), params_.model.rotary_dim()});
  for (std::uint64_t n = 0; n < tokens_.runs; ++n)
    runtime::copy_window(values, {tokens_.place(n) * tokens_.run, 0, tokens_.run, params_.model.rotary_dim()},
                         table.values.data() + table.values.size() / tokens_.runs * n);
  fill_all(machine, replica_, matrix, table);
}

void PrefillStageTensors::fill_caches(runtime::Machine& machine, std::size_t r, std::size_t layer,
                                      const HostCache& values) const {
  const std::uint64_t d = params_.model.head_dim, columns = share_.kv_heads * d,
                      first = share_.first_kv_head(r) * d;
  for (std::size_t g = 0; g < replica_.alike().size(); ++g)
    for (std::size_t b = 0; b < params_.microbatches; ++b)
      for (std::uint64_t row = 0; row < params_.sequences() * params_.cached; ++row) {
        const std::uint64_t sequence = row / params_.cached, token = row % params_.cached,
                            of_case = (replica_.alike()[g].number * params_.microbatches + b) *
                                          params_.sequences() +
                                      sequence;
        std::byte* to =
            row_of(machine, replica_, g, ranks_[r].caches[layer][b], sequence * cache_tokens() + token);
        const runtime::Window window{of_case * params_.cached + token, first, 1, columns};
        runtime::copy_window(values.k, window, to);
        runtime::copy_window(values.v, window, to + columns * isa::size_of(kModelDType));
      }
}

void PrefillStageTensors::fill(runtime::Machine& machine, const HostCase& values,
                               std::size_t first_layer) const {
  for (std::size_t r = 0; r < ranks_.size(); ++r) {
    for (std::size_t l = 0; l < layers_; ++l) {
      ranks_[r].weights[l].fill(machine, replica_, r, params_.model, values.weights[first_layer + l],
                                share_.of_layer(params_.model, first_layer_ + l));
      if (params_.cached > 0) fill_caches(machine, r, l, values.caches[first_layer + l]);
    }
    fill_table(machine, ranks_[r].table, values.table);
    if (params_.model.rope.local_theta > 0) fill_table(machine, ranks_[r].local_table, values.local_table);
  }
  if (!first_stage_ || params_.logits) return;
  for_rows(
      [&](std::size_t g, std::size_t b, std::size_t r, std::size_t h, std::uint64_t own, std::uint64_t row) {
        runtime::copy_window(values.x, {row, 0, 1, values.x.columns()},
                             row_of(machine, replica_, g, ranks_[r].in[b][h], own));
      });
}

void PrefillStageTensors::gather(runtime::Machine& machine, runtime::HostTensor& out) const {
  for_rows(
      [&](std::size_t g, std::size_t b, std::size_t r, std::size_t h, std::uint64_t own, std::uint64_t row) {
        runtime::paste_window(out, {row, 0, 1, out.columns()},
                              row_of(machine, replica_, g, ranks_[r].out[b][h], own));
      });
}

}  // namespace tahoma::workloads
