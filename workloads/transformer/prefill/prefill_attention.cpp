// SPDX-License-Identifier: Apache-2.0
#include "workloads/transformer/prefill/prefill_attention.h"

#include <algorithm>

namespace tahoma::workloads {

using runtime::HbmView;

// Queries and keys; a slice may contain the end of one sequence and the beginning of the next.
void PrefillAttention::rotate_heads(const Layers& ranks, std::size_t layer, std::size_t slice) {
  const std::uint64_t d = params_.model.head_dim, begin = rows_.first_of_block(slice, 0);
  if (!tensors_.turned(layer)) return;
  replica_.each("rope", [&](std::size_t r, std::size_t h) {
    const auto [first, count] = share_.units_of(h);
    const std::uint64_t rotated = share_.heads + share_.kv_heads;
    if (first >= rotated || count == 0) return;
    rotate(r, h, layer,
           heads_of(rows_of(ranks[r].qkv.of(h), begin, rows_.slice()), first,
                    std::min(count, rotated - first), d),
           begin);
  });
}

void PrefillAttention::rotate(std::size_t r, std::size_t h, std::size_t layer, const HbmView& heads,
                              std::uint64_t first_row) {
  for (std::uint64_t done = 0; done < heads.rows;) {
    const std::uint64_t token = (first_row + done) % tokens_.tokens(),
                        rows = std::min(heads.rows - done, tokens_.tokens() - token);
    part(r, h).rope(rows_of(heads, done, rows), rows_of(tensors_.table(r, layer).of(h), token, rows),
                    params_.model.rotary_pitch());
    done += rows;
  }
}

void PrefillAttention::finish_heads(const Layers& ranks, std::size_t layer, std::size_t microbatch) {
  if (params_.model.latent) return;  // LatentHeads synchronises
  replica_.region("attention");
  for (std::size_t r = 0; r < replica_.ranks(); ++r)
    replica_.synchronise(r, [&](std::size_t writer, std::size_t viewer) {
      const auto [first, count] = share_.units_of(writer);
      if (count == 0) return std::vector<HbmView>{};
      return std::vector<HbmView>{heads_of(ranks[r].qkv.of(viewer), first, count, params_.model.head_dim)};
    });
  if (tokens_.groups > 1) collect_keys(ranks);
  if (params_.cached > 0) append_keys(ranks, layer, microbatch);
}

// The physical cores alternate by sequence.
void PrefillAttention::append_keys(const Layers& ranks, std::size_t layer, std::size_t microbatch) {
  const std::uint64_t tokens = params_.tokens, all = tensors_.cache_tokens();
  replica_.each("cache", [&](std::size_t r, std::size_t h) {
    const HbmView keys =
        heads_of(ranks[r].qkv.of(h), share_.heads, 2 * share_.kv_heads, params_.model.head_dim);
    const HbmView& cache = tensors_[r].caches[layer][microbatch].of(h);
    for (std::uint64_t s = h; s < params_.sequences(); s += replica_.physical_cores())
      replica_.kernel(r, h).move(rows_of(cache, s * all + params_.cached, tokens),
                                 rows_of(keys, s * tokens, tokens), isa::Queue::kGpSimd);
  });
  for (std::size_t r = 0; r < replica_.ranks(); ++r)
    replica_.synchronise(r, [&](std::size_t writer, std::size_t viewer) {
      std::vector<HbmView> written;
      for (std::uint64_t s = writer; s < params_.sequences(); s += replica_.physical_cores())
        written.push_back(
            rows_of(tensors_[r].caches[layer][microbatch].of(viewer), s * all + params_.cached, tokens));
      return written;
    });
}

// Side by side, run by run, because gathered data are contiguous. The physical cores alternate.
void PrefillAttention::collect_keys(const Layers& ranks) {
  replica_.each("keys and values", [&](std::size_t r, std::size_t h) {
    const HbmView keys =
        heads_of(ranks[r].qkv.of(h), share_.heads, 2 * share_.kv_heads, params_.model.head_dim);
    for (std::uint64_t s = 0; s < params_.sequences(); ++s)
      for (std::uint64_t n = h; n < tokens_.runs; n += replica_.physical_cores()) {
        const std::uint64_t first = s * tokens_.tokens() + n * tokens_.run;
        replica_.kernel(r, h).move(rows_of(ranks[r].keys.of(h), first, tokens_.run),
                                   rows_of(keys, first, tokens_.run), isa::Queue::kGpSimd);
      }
  });
}

// The first runs of all groups in the groups' order, then the second ones in the opposite order.
std::vector<PhasePrograms::Share> PrefillAttention::shares(const Layers& ranks) const {
  std::vector<PhasePrograms::Share> shares;
  if (tokens_.groups == 1) return shares;
  for (std::size_t r = 0; r < replica_.ranks(); ++r)
    for (std::uint64_t s = 0; s < params_.sequences(); ++s)
      for (std::uint64_t n = 0; n < tokens_.runs; ++n) {
        const std::size_t physical_core = n % replica_.physical_cores();
        PhasePrograms::Share& share = shares.emplace_back();
        share = {"keys and values",
                 s * tokens_.runs + n,
                 r,
                 physical_core,
                 end_of(ranks[r].keys, physical_core, s * tokens_.tokens() + n * tokens_.run, tokens_.run, 1),
                 end_of(ranks[r].all_keys, physical_core,
                        s * params_.tokens + n * tokens_.groups * tokens_.run, tokens_.run, tokens_.groups)};
        share.gets.descending = n == 1;
      }
  return shares;
}

void PrefillAttention::synchronise_keys(const Layers& ranks) {
  replica_.region("attention");
  for (std::size_t r = 0; r < replica_.ranks(); ++r)
    replica_.synchronise(r, [&](std::size_t writer, std::size_t viewer) {
      std::vector<HbmView> written;
      const std::uint64_t rows = tokens_.groups * tokens_.run;
      for (std::uint64_t s = 0; s < params_.sequences(); ++s)
        written.push_back(rows_of(ranks[r].all_keys.of(viewer), s * params_.tokens + writer * rows, rows));
      return written;
    });
}

LayerPart::Attention PrefillAttention::attention_of(const PrefillLayer& of_rank, const Matrix* cache,
                                                    std::size_t r, std::size_t h, std::uint64_t sequence,
                                                    std::uint64_t n) const {
  const std::uint64_t d = params_.model.head_dim;
  const RankShare::Heads heads = share_.heads_of(r, h);
  const std::uint64_t kv = heads.first / share_.heads_per_kv,
                      kv_end = (heads.first + heads.count - 1) / share_.heads_per_kv + 1;
  const std::uint64_t first = sequence * tokens_.tokens() + n * tokens_.run;
  const auto own = [&](const HbmView& view) { return rows_of(view, first, tokens_.run); };
  const HbmView qkv = own(of_rank.qkv.of(h));
  HbmView keys = heads_of(qkv, share_.heads, 2 * share_.kv_heads, d);
  if (tokens_.groups > 1)
    keys = rows_of(of_rank.all_keys.of(h), sequence * params_.tokens, (tokens_.place(n) + 1) * tokens_.run);
  if (cache != nullptr)
    keys = rows_of(cache->of(h), sequence * tensors_.cache_tokens(), tensors_.cache_tokens());
  if (params_.model.bidirectional) keys = rows_of(keys, 0, params_.counted_rows());
  return {heads_of(qkv, heads.first, heads.count, d),
          heads_of(keys, kv, kv_end - kv, d),
          heads_of(keys, share_.kv_heads + kv, kv_end - kv, d),
          heads_of(own(of_rank.o.of(h)), heads.first, heads.count, d),
          heads,
          share_.heads_per_kv};
}

LayerPart::Attention PrefillAttention::latent_attention_of(const PrefillLayer& of_rank, std::size_t r,
                                                           std::size_t h, std::uint64_t sequence) const {
  const LatentShape& l = params_.model.latent;
  const RankShare::Heads heads = share_.heads_of(r, h);
  const auto own = [&](const Matrix& matrix, std::uint64_t features) {
    return heads_of(rows_of(matrix.of(h), sequence * tokens_.run, tokens_.run), heads.first, heads.count,
                    features);
  };
  const LatentTensors& tensors = of_rank.latent;
  LayerPart::Attention attention{own(tensors.q_nope, l.nope),
                                 own(tensors.k, l.nope),
                                 own(tensors.v, l.values),
                                 own(of_rank.o, l.values),
                                 heads,
                                 share_.heads_per_kv};
  attention.q_rope = own(tensors.q_rope, l.rope);
  const HbmView down = rows_of(tensors.down.of(h), sequence * tokens_.run, tokens_.run);
  attention.k_rope = down.window(0, l.q_rank + l.kv_rank, down.rows, l.rope);
  return attention;
}

void PrefillAttention::attend(const Layers& ranks, std::size_t layer, std::size_t microbatch) {
  if (tokens_.groups > 1) synchronise_keys(ranks);
  replica_.each("attention", [&](std::size_t r, std::size_t h) {
    for (std::uint64_t s = 0; s < params_.sequences(); ++s)
      for (std::uint64_t n = 0; n < tokens_.runs; ++n) {
        LayerPart::Attention attention =
            params_.model.latent
                ? latent_attention_of(ranks[r], r, h, s)
                : attention_of(ranks[r],
                               params_.cached > 0 ? &tensors_[r].caches[layer][microbatch] : nullptr, r, h, s,
                               n);
        attention.window = tensors_.window(layer);
        if (!params_.model.sinks) {
          part(r, h).attention(attention);
          continue;
        }
        const RankShare::Heads heads = share_.heads_of(r, h);
        attention.lse = rows_of(ranks[r].core_tensors[h].sums.of(h), 0, heads.count);
        part(r, h).attention(attention);
        part(r, h).sink(*attention.lse,
                        tensors_[r].weights[layer].sinks.of(h).window(0, heads.first, 1, heads.count),
                        attention.o);
      }
  });
  replica_.region("attention");
  for (std::size_t r = 0; r < replica_.ranks(); ++r)
    replica_.synchronise(r, [&](std::size_t writer, std::size_t viewer) {
      const RankShare::Heads heads = share_.heads_of(r, writer);
      return std::vector<HbmView>{
          heads_of(ranks[r].o.of(viewer), heads.first, heads.count, params_.model.value_dim())};
    });
  if (params_.model.attention_gate) gate(ranks);
}

// Of all rows; each physical core does a part of the features.
void PrefillAttention::gate(const Layers& ranks) {
  const std::uint64_t rows = rows_.rows(), d = params_.model.head_dim;
  const auto own = [&](const HbmView& view, std::size_t h) {
    return replica_.core_columns(rows_of(view, 0, rows), h);
  };
  replica_.each("attention gate", [&](std::size_t r, std::size_t h) {
    part(r, h).scale(
        own(ranks[r].o.of(h), h),
        own(heads_of(ranks[r].qkv.of(h), share_.heads + 2 * share_.kv_heads, share_.heads, d), h));
  });
  for (std::size_t r = 0; r < replica_.ranks(); ++r)
    replica_.synchronise(r, [&](std::size_t writer, std::size_t viewer) {
      return std::vector<HbmView>{own(ranks[r].o.of(viewer), writer)};
    });
}

}  // namespace tahoma::workloads
