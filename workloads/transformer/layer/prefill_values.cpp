// SPDX-License-Identifier: Apache-2.0
// Writes and reads the tensors of a prefill on the host: rows of the case, group by group.
#include "workloads/transformer/layer/prefill.h"

namespace tahoma::workloads {

namespace {}  // namespace

template <class Body>
void Prefill::for_rows(Body&& body) const {
  for (std::size_t g = 0; g < replica_.alike().size(); ++g)
    for (std::size_t b = 0; b < params_.microbatches; ++b)
      for (std::size_t r = 0; r < rows_.ranks; ++r)
        for (std::size_t h = 0; h < rows_.physical_cores; ++h)
          for (std::uint64_t own = 0; own < rows_.own(); ++own) {
            const std::uint64_t row = rows_.first(own / rows_.run, h, r) + own % rows_.run,
                                sequence = (replica_.alike()[g].number * params_.microbatches + b) *
                                               params_.sequences() +
                                           row / tokens_.tokens();
            body(g, b, r, h, own, sequence * params_.tokens + tokens_.position(row % tokens_.tokens()));
          }
}

void Prefill::fill(runtime::Machine& machine, const HostCase& values) const {
  if (experts_) experts_->fill(machine, values);
  runtime::HostTensor table =
      runtime::make_tensor("rope_table", kModelDType, {tokens_.tokens(), params_.model.head_dim});
  for (std::uint64_t n = 0; n < tokens_.runs; ++n)
    runtime::copy_window(values.table,
                         {tokens_.place(n) * tokens_.run, 0, tokens_.run, params_.model.head_dim},
                         table.values.data() + table.values.size() / tokens_.runs * n);
  for (std::size_t r = 0; r < ranks_.size(); ++r) {
    for (std::size_t l = 0; l < params_.stage_layers(); ++l)
      ranks_[r].weights[l].fill(machine, replica_, r, params_.model, values.weights[layer_number(l)], share_);
    fill_all(machine, replica_, ranks_[r].table, table);
  }
  if (station_.before != nullptr) return;
  for_rows(
      [&](std::size_t g, std::size_t b, std::size_t r, std::size_t h, std::uint64_t own, std::uint64_t row) {
        runtime::copy_window(values.x, {row, 0, 1, values.x.columns()},
                             row_of(machine, replica_, g, ranks_[r].in[b][h], own));
      });
}

void Prefill::gather(runtime::Machine& machine, runtime::HostTensor& out) const {
  for_rows(
      [&](std::size_t g, std::size_t b, std::size_t r, std::size_t h, std::uint64_t own, std::uint64_t row) {
        runtime::paste_window(out, {row, 0, 1, out.columns()},
                              row_of(machine, replica_, g, ranks_[r].out[b][h], own));
      });
}

}  // namespace tahoma::workloads
