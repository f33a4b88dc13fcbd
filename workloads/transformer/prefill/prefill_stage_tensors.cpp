// SPDX-License-Identifier: Apache-2.0
#include "workloads/transformer/prefill/prefill_stage_tensors.h"

namespace tahoma::workloads {

PrefillStageTensors::PrefillStageTensors(Replica& replica, const TransformerParams& params,
                                         const Station& station, const RankShare& share,
                                         const RowSharding& rows, const TokenSharding& tokens)
    : replica_(replica),
      params_(params),
      share_(share),
      rows_(rows),
      tokens_(tokens),
      first_stage_(station.before == nullptr) {
  const ModelShape& m = params.model;
  for (std::size_t r = 0; r < replica.ranks(); ++r) {
    OfRank& rank = ranks_.emplace_back();
    for (std::size_t l = 0; l < params.stage_layers(); ++l) rank.weights.emplace_back(replica, r, m, share);
    rank.table = replica.shared(r, "rope_table", kModelDType, tokens.tokens(), m.head_dim);
    replica.declare_input(rank.table.tensor);
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

void PrefillStageTensors::fill(runtime::Machine& machine, const HostCase& values,
                               std::size_t first_layer) const {
  runtime::HostTensor table =
      runtime::make_tensor("rope_table", kModelDType, {tokens_.tokens(), params_.model.head_dim});
  for (std::uint64_t n = 0; n < tokens_.runs; ++n)
    runtime::copy_window(values.table,
                         {tokens_.place(n) * tokens_.run, 0, tokens_.run, params_.model.head_dim},
                         table.values.data() + table.values.size() / tokens_.runs * n);
  for (std::size_t r = 0; r < ranks_.size(); ++r) {
    for (std::size_t l = 0; l < params_.stage_layers(); ++l)
      ranks_[r].weights[l].fill(machine, replica_, r, params_.model, values.weights[first_layer + l], share_);
    fill_all(machine, replica_, ranks_[r].table, table);
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
