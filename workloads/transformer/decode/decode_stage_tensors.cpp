// SPDX-License-Identifier: Apache-2.0
#include "workloads/transformer/decode/decode_stage_tensors.h"

#include <algorithm>

namespace tahoma::workloads {

DecodeStageTensors::DecodeStageTensors(Replica& replica, const TransformerParams& params,
                                       const Station& station, const RankShare& share,
                                       const DecodeSharding& sharding)
    : replica_(replica),
      params_(params),
      station_(station),
      share_(share),
      sharding_(sharding),
      first_layer_(params.first_layer + params.layers_of_stage(station.stage).first),
      layers_(params.layers_of_stage(station.stage).count) {
  for (std::size_t r = 0; r < replica.ranks(); ++r) {
    OfRank& rank = ranks_.emplace_back();
    for (std::size_t l = 0; l < layers_; ++l) {
      rank.weights.emplace_back(replica, r, params.model, share.of_layer(params.model, first_layer_ + l));
      auto& caches = rank.caches.emplace_back(params.microbatches);
      for (std::vector<Cache>& of_microbatch : caches)
        for (std::size_t h = 0; h < replica.physical_cores(); ++h)
          of_microbatch.push_back(allocate_cache(r, h, l));
    }
    rank.table = replica.shared(r, "rope_table", kModelDType, sharding.rows, params.model.rotary_dim());
    replica.declare_input(rank.table.tensor);
    if (params.model.rope.local_theta > 0) {
      rank.local_table =
          replica.shared(r, "local_rope_table", kModelDType, sharding.rows, params.model.rotary_dim());
      replica.declare_input(rank.local_table.tensor);
    }
    for (std::size_t b = 0; b < params.microbatches; ++b) place_stream(r);
  }
}

DecodeStageTensors::Cache DecodeStageTensors::allocate_cache(std::size_t r, std::size_t h,
                                                             std::size_t layer) {
  const std::uint64_t sequences = std::max<std::uint64_t>(1, sharding_.sequences_of(r, h).count);
  if (params_.model.latent) {
    Cache cache{replica_.own(r, h, "latent_cache", kModelDType, sequences * capacity(layer),
                             params_.model.latent.cached()),
                {}};
    replica_.declare_input(cache.k.tensor);
    return cache;
  }
  if (share_.of_layer(params_.model, first_layer_ + layer).delta) return allocate_states(r, h);
  const std::uint64_t heads = share_.kv_heads * sequences, d = params_.model.head_dim;
  Cache cache{replica_.own(r, h, "k_cache", kModelDType, heads * d, capacity(layer)),
              replica_.own(r, h, "v_cache", kModelDType, heads * capacity(layer), d)};
  replica_.declare_input(cache.k.tensor);
  replica_.declare_input(cache.v.tensor);
  return cache;
}

// The heads of the physical core, of all sequences.
DecodeStageTensors::Cache DecodeStageTensors::allocate_states(std::size_t r, std::size_t h) {
  const DeltaHeads heads = share_.delta_heads(params_.model);
  Cache cache{
      replica_.own(r, h, "delta_states", isa::DType::kFp32, sharding_.rows * heads.state_rows(),
                   heads.state_columns()),
      replica_.own(r, h, "delta_past", kModelDType, (heads.taps - 1) * sharding_.rows, heads.channels())};
  replica_.declare_input(cache.k.tensor);
  replica_.declare_input(cache.v.tensor);
  return cache;
}

void DecodeStageTensors::fill_states(runtime::Machine& machine, const CacheAddress& at,
                                     const HostCache& values) const {
  const DeltaRule& d = params_.model.delta;
  const DeltaHeads heads = share_.delta_heads(params_.model);
  const Cache& cache = cache_at(at);
  const std::uint64_t cores = share_.ranks * share_.physical_cores,
                      core = at.rank * share_.physical_cores + at.physical_core;
  for (std::uint64_t s = 0; s < sharding_.rows; ++s) {
    const std::uint64_t sequence = first_row(at.replica, at.microbatch) + s,
                        of_model = sequence * d.value_heads * d.key_dim;
    for (const RowBlock& block : d.state_blocks(core, cores))
      runtime::copy_window(
          values.k, {of_model + block.of_model_row, block.of_model_column, 1, block.columns},
          row_of(machine, replica_, at.replica, cache.k, s * heads.state_rows() + block.row) +
              block.column * sizeof(float));
    for (std::uint64_t j = 0; j + 1 < d.taps; ++j)
      for (const RowBlock& block : d.channel_blocks(core, cores))
        runtime::copy_window(values.v,
                             {j * params_.batch + sequence, block.of_model_column, 1, block.columns},
                             row_of(machine, replica_, at.replica, cache.v, j * sharding_.rows + s) +
                                 block.column * isa::size_of(kModelDType));
  }
}

// The stream of one more microbatch. The rows that were handed over are collected in one tensor, of which
// both physical cores read all.
void DecodeStageTensors::place_stream(std::size_t r) {
  OfRank& rank = ranks_[r];
  const std::uint64_t rows = sharding_.rows, hidden = params_.model.hidden;
  std::vector<Matrix>&in = rank.in.emplace_back(), &out = rank.out.emplace_back(),
  &came = rank.came.emplace_back();
  const bool embeds = params_.logits && station_.before == nullptr;
  if (station_.before != nullptr || embeds)
    in.assign(replica_.physical_cores(), replica_.shared(r, "in", kModelDType, rows, hidden));
  for (std::size_t h = 0; h < replica_.physical_cores(); ++h) {
    const DecodeSharding::Run run = sharding_.run_of(r, h);
    if (station_.before == nullptr && !embeds) {
      in.push_back(replica_.own(r, h, "in", kModelDType, rows, hidden));
      replica_.declare_input(in.back().tensor);
    } else if (station_.before != nullptr && run.rows > 0 && replica_.ranks() == 1) {
      station_.before->expect(r, h, in[h], rows_of(in[h].of(h), run.row, run.rows));
    } else if (station_.before != nullptr && run.rows > 0) {
      came.resize(h + 1);
      came[h] = replica_.own(r, h, "handed over", kModelDType, run.rows, run.columns);
      station_.before->expect(r, h, came[h], came[h].of(h));
    }
    const bool whole = station_.behind == nullptr;
    if (whole || run.rows > 0)
      out.push_back(
          replica_.own(r, h, "out", kModelDType, whole ? rows : run.rows, whole ? hidden : run.columns));
  }
}

void DecodeStageTensors::fill_cache(runtime::Machine& machine, const CacheAddress& at,
                                    const HostCache& values) const {
  if (share_.of_layer(params_.model, first_layer_ + at.layer).delta) return fill_states(machine, at, values);
  const Cache& cache = cache_at(at);
  const auto [first, count] = sharding_.sequences_of(at.rank, at.physical_core);
  const std::uint64_t d = params_.model.head_dim, kept = this->kept(at.layer), places = capacity(at.layer),
                      dropped = sharding_.context - kept;  // before the window
  const std::uint64_t sequence = first_row(at.replica, at.microbatch) + first;
  if (params_.model.latent) {
    for (std::uint64_t s = 0; s < count && kept > 0; ++s)
      runtime::copy_window(values.k,
                           {(sequence + s) * params_.context, 0, kept, params_.model.latent.cached()},
                           row_of(machine, replica_, at.replica, cache.k, s * places));
    return;
  }
  for (std::uint64_t head = 0; head < share_.kv_heads && kept > 0; ++head)
    for (std::uint64_t s = 0; s < count; ++s) {
      const runtime::Window window{
          (sequence + s) * params_.context + station_.group * sharding_.context + dropped,
          (share_.first_kv_head(at.rank) + head) * d, kept, d};
      const std::uint64_t place = head * count + s;
      runtime::copy_window(values.v, window, row_of(machine, replica_, at.replica, cache.v, place * places));
      std::vector<std::byte> transposed(kept * d * isa::size_of(kModelDType));
      runtime::copy_window_transposed(values.k, window, transposed.data());
      const std::size_t bytes = kept * isa::size_of(kModelDType);
      for (std::uint64_t i = 0; i < d; ++i)
        std::copy_n(transposed.data() + i * bytes, bytes,
                    row_of(machine, replica_, at.replica, cache.k, place * d + i));
    }
}

void DecodeStageTensors::fill(runtime::Machine& machine, const HostCase& values,
                              std::size_t first_layer) const {
  for (std::size_t r = 0; r < ranks_.size(); ++r) {
    for (std::size_t l = 0; l < layers_; ++l)
      ranks_[r].weights[l].fill(machine, replica_, r, params_.model, values.weights[first_layer + l],
                                share_.of_layer(params_.model, first_layer_ + l));
    fill_all(machine, replica_, ranks_[r].table, values.table);
    if (params_.model.rope.local_theta > 0)
      fill_all(machine, replica_, ranks_[r].local_table, values.local_table);
    for (std::size_t g = 0; g < replica_.alike().size(); ++g)
      for (std::size_t b = 0; b < params_.microbatches; ++b)
        for (std::size_t h = 0; h < replica_.physical_cores(); ++h) {
          if (station_.before == nullptr && !params_.logits)
            runtime::copy_window(values.x, {first_row(g, b), 0, sharding_.rows, values.x.columns()},
                                 row_of(machine, replica_, g, ranks_[r].in[b][h], 0));
          for (std::size_t l = 0; l < layers_; ++l)
            fill_cache(machine, {.replica = g, .microbatch = b, .rank = r, .physical_core = h, .layer = l},
                       values.caches[first_layer + l]);
        }
  }
}

// All ranks have the same values; one of them is read.
void DecodeStageTensors::gather(runtime::Machine& machine, runtime::HostTensor& out) const {
  for (std::size_t g = 0; g < replica_.alike().size(); ++g)
    for (std::size_t b = 0; b < params_.microbatches; ++b)
      for (std::size_t h = 0; h < replica_.physical_cores(); ++h) {
        const auto [first, count] = sharding_.reduced_rows(h);
        const std::size_t rank = (h + 1) % ranks_.size();
        runtime::paste_window(out, {first_row(g, b) + first, 0, count, out.columns()},
                              row_of(machine, replica_, g, ranks_[rank].out[b][h], first));
      }
}

}  // namespace tahoma::workloads
