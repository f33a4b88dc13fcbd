// SPDX-License-Identifier: Apache-2.0
#include "workloads/transformer/decode/decode_attention.h"

namespace tahoma::workloads {

using runtime::HbmView;

// [heads, sequences]
HbmView DecodeAttention::lse_of(const DecodeLayer::CoreTensors& tensors, std::size_t h) const {
  HbmView view = tensors.lse.of(h);
  view.rows = share_.heads;
  view.columns = tensors.part.of(h).rows;
  view.row_stride = static_cast<std::int64_t>(view.columns);
  return view;
}

// Appends the new token's keys as a column for each sequence, and its values as a row.
void DecodeAttention::append(const DecodeLayer& of_rank, std::size_t r, std::size_t h, std::size_t layer,
                             const DecodeStageTensors::Cache& cache) {
  const auto [first, count] = sharding_.sequences_of(r, h);
  const auto d = static_cast<std::int64_t>(params_.model.head_dim),
             full = static_cast<std::int64_t>(tensors_.capacity(layer));
  const HbmView qkv = rows_of(of_rank.qkv.of(h), first, count);
  for (std::uint64_t head = 0; head < share_.kv_heads; ++head) {
    const std::uint64_t place = head * count, width = params_.model.head_dim;
    HbmView k = heads_of(qkv, share_.heads + head, 1, width);
    k.repeats[0] = {1, 0};
    k.repeats[1] = {count, k.row_stride};
    k.rows = width;
    k.columns = 1;
    k.row_stride = 1;
    HbmView column = cache.k.of(h).window(place * width, tensors_.kept(layer), width, 1);
    column.repeats[1] = {count, d * full};
    if (count == 1) k.repeats[1] = column.repeats[1] = {};
    const isa::Queue on = isa::Queue::kGpSimd;
    replica_.kernel(r, h).move(column, k, on);
    HbmView row = cache.v.of(h).window(place * tensors_.capacity(layer) + tensors_.kept(layer), 0, 1, width);
    row.rows = count;
    row.row_stride = full * d;
    replica_.kernel(r, h).move(row, heads_of(qkv, share_.heads + share_.kv_heads + head, 1, width), on);
  }
}

// A row of the latent vector and the rotated features for each sequence.
void DecodeAttention::append_latents(const DecodeLayer& of_rank, std::size_t r, std::size_t h,
                                     std::size_t layer, const DecodeStageTensors::Cache& cache) {
  const LatentShape& l = params_.model.latent;
  const auto [first, count] = sharding_.sequences_of(r, h);
  HbmView row = cache.k.of(h).window(tensors_.kept(layer), 0, 1, l.cached());
  row.rows = count;
  row.row_stride = static_cast<std::int64_t>(tensors_.capacity(layer) * l.cached());
  const HbmView down = rows_of(of_rank.latent.down.of(h), first, count);
  replica_.kernel(r, h).move(row, down.window(0, l.q_rank, count, l.cached()), isa::Queue::kGpSimd);
}

LayerPart::Decode DecodeAttention::latent_decode(const DecodeLayer& of_rank, std::size_t r, std::size_t h,
                                                 std::size_t layer,
                                                 const DecodeStageTensors::Cache& cache) const {
  const auto [first, count] = sharding_.sequences_of(r, h);
  const auto own = [&, first = first, count = count](const Matrix& matrix) {
    return rows_of(matrix.of(h), first, count);
  };
  LayerPart::Decode decode{
      own(of_rank.latent.q),   cache.k.of(h), {}, own(of_rank.latent.o), 1, share_.heads, count,
      tensors_.capacity(layer)};
  decode.q_rope = own(of_rank.latent.q_rope);
  return decode;
}

void DecodeAttention::attend(const std::vector<DecodeLayer>& ranks, std::size_t layer,
                             std::size_t microbatch) {
  const std::uint64_t d = params_.model.head_dim;
  replica_.each("cache", [&](std::size_t r, std::size_t h) {
    if (!sharding_.has_new || sharding_.sequences_of(r, h).count == 0) return;
    const DecodeStageTensors::Cache& cache = tensors_[r].caches[layer][microbatch][h];
    if (params_.model.latent)
      append_latents(ranks[r], r, h, layer, cache);
    else
      append(ranks[r], r, h, layer, cache);
  });
  replica_.each("attention", [&](std::size_t r, std::size_t h) {
    const runtime::Part own = sharding_.sequences_of(r, h);
    if (own.count == 0) return;
    const DecodeStageTensors::Cache& cache = tensors_[r].caches[layer][microbatch][h];
    if (params_.model.latent) return part(r, h).decode(latent_decode(ranks[r], r, h, layer, cache));
    const auto heads = [&](const Matrix& matrix) {
      return heads_of(rows_of(matrix.of(h), own.first, own.count), 0, share_.heads, d);
    };
    LayerPart::Decode decode{heads(ranks[r].qkv), cache.k.of(h),           cache.v.of(h),
                             heads(ranks[r].o),   share_.kv_heads,         share_.heads_per_kv,
                             own.count,           tensors_.capacity(layer)};
    if (params_.model.sinks) {
      const HbmView sums = rows_of(ranks[r].core_tensors[h].sums.of(h), 0, share_.heads);
      decode.lse = &sums;
      part(r, h).decode(decode);
      return part(r, h).sink(sums, tensors_[r].weights[layer].sinks.of(h), decode.o);
    }
    if (sharding_.groups == 1) return part(r, h).decode(decode);
    const HbmView lse = lse_of(ranks[r].core_tensors[h], h);
    decode.o = ranks[r].core_tensors[h].part.of(h);
    decode.lse = &lse;
    part(r, h).decode(decode);
  });
}

std::vector<PhasePrograms::Share> DecodeAttention::shares(const std::vector<DecodeLayer>& ranks) const {
  std::vector<PhasePrograms::Share> shares;
  for (std::size_t r = 0; r < replica_.ranks(); ++r)
    for (std::size_t h = 0; h < replica_.physical_cores(); ++h) {
      const std::uint64_t count = sharding_.sequences_of(r, h).count;
      if (count == 0) continue;
      const DecodeLayer::CoreTensors& tensors = ranks[r].core_tensors[h];
      shares.push_back({"attention", 0, r, h, end_of(tensors.part, h, 0, count, 1),
                        end_of(tensors.parts, h, 0, count, sharding_.groups)});
      shares.push_back({"log-sums", 0, r, h, end_of(tensors.lse, h, 0, 1, 1),
                        end_of(tensors.lses, h, 0, 1, sharding_.groups)});
    }
  return shares;
}

void DecodeAttention::gate(const std::vector<DecodeLayer>& ranks) {
  if (!params_.model.attention_gate) return;
  replica_.each("attention gate", [&](std::size_t r, std::size_t h) {
    const auto [first, count] = sharding_.sequences_of(r, h);
    if (count == 0) return;
    part(r, h).scale(rows_of(ranks[r].o.of(h), first, count),
                     heads_of(rows_of(ranks[r].qkv.of(h), first, count), share_.heads + 2 * share_.kv_heads,
                              share_.heads, params_.model.head_dim));
  });
}

void DecodeAttention::merge(const std::vector<DecodeLayer>& ranks) {
  if (sharding_.groups == 1) return;
  replica_.each("merge", [&](std::size_t r, std::size_t h) {
    const runtime::Part own = sharding_.sequences_of(r, h);
    if (own.count == 0) return;
    const DecodeLayer::CoreTensors& tensors = ranks[r].core_tensors[h];
    part(r, h).merge(sharding_.groups, share_.heads, tensors.parts.of(h), tensors.lses.of(h),
                     rows_of(ranks[r].o.of(h), own.first, own.count));
  });
}

}  // namespace tahoma::workloads
