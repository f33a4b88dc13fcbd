// SPDX-License-Identifier: Apache-2.0
// Writes and reads the tensors of a decoding step on the host: caches and rows of the case.
#include <algorithm>

#include "workloads/transformer/layer/decode_step.h"

namespace tahoma::workloads {

namespace {}  // namespace

void DecodeStep::fill_cache(runtime::Machine& machine, std::size_t g, std::size_t b, std::size_t r,
                            std::size_t h, std::size_t layer, const HostCache& values) const {
  const Cache& cache = ranks_[r].caches[layer][b][h];
  const auto [first, count] = sequences_of(r, h);
  const std::uint64_t d = params_.model.head_dim, kept = context();
  const std::uint64_t sequence = first_row(g, b) + first;
  for (std::uint64_t head = 0; head < share_.kv_heads && kept > 0; ++head)
    for (std::uint64_t s = 0; s < count; ++s) {
      const runtime::Window window{(sequence + s) * params_.context + station_.group * kept,
                                   (share_.first_kv_head(r) + head) * d, kept, d};
      const std::uint64_t place = head * count + s;
      runtime::copy_window(values.v, window, row_of(machine, replica_, g, cache.v, place * capacity()));
      std::vector<std::byte> transposed(kept * d * isa::size_of(kModelDType));
      runtime::copy_window_transposed(values.k, window, transposed.data());
      const std::size_t bytes = kept * isa::size_of(kModelDType);
      for (std::uint64_t i = 0; i < d; ++i)
        std::copy_n(transposed.data() + i * bytes, bytes,
                    row_of(machine, replica_, g, cache.k, place * d + i));
    }
}

void DecodeStep::fill(runtime::Machine& machine, const HostCase& values) const {
  if (experts_) experts_->fill(machine, values);
  for (std::size_t r = 0; r < ranks_.size(); ++r) {
    for (std::size_t l = 0; l < params_.stage_layers(); ++l)
      ranks_[r].weights[l].fill(machine, replica_, r, params_.model, values.weights[layer_number(l)], share_);
    fill_all(machine, replica_, ranks_[r].table, values.table);
    for (std::size_t g = 0; g < replica_.alike().size(); ++g)
      for (std::size_t b = 0; b < params_.microbatches; ++b)
        for (std::size_t h = 0; h < replica_.physical_cores(); ++h) {
          if (station_.before == nullptr)
            runtime::copy_window(values.x, {first_row(g, b), 0, rows(), values.x.columns()},
                                 row_of(machine, replica_, g, ranks_[r].in[b][h], 0));
          for (std::size_t l = 0; l < params_.stage_layers(); ++l)
            fill_cache(machine, g, b, r, h, l, values.caches[layer_number(l)]);
        }
  }
}

// All ranks have the same values; one of them is read.
void DecodeStep::gather(runtime::Machine& machine, runtime::HostTensor& out) const {
  for (std::size_t g = 0; g < replica_.alike().size(); ++g)
    for (std::size_t b = 0; b < params_.microbatches; ++b)
      for (std::size_t h = 0; h < replica_.physical_cores(); ++h) {
        const auto [first, count] = reduced_rows(h);
        const std::size_t rank = (h + 1) % ranks_.size();
        runtime::paste_window(out, {first_row(g, b) + first, 0, count, out.columns()},
                              row_of(machine, replica_, g, ranks_[rank].out[b][h], first));
      }
}

}  // namespace tahoma::workloads
