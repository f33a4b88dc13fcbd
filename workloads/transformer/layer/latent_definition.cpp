// SPDX-License-Identifier: Apache-2.0
#include "workloads/transformer/layer/latent_definition.h"

#include "workloads/transformer/layer/noisy_attention.h"

namespace tahoma::workloads {

namespace {

using Eigen::Index;

Index at(std::uint64_t n) { return static_cast<Index>(n); }

Noisy columns(const Noisy& x, Index first, Index count) {
  return {x.value.middleCols(first, count), x.variance.middleCols(first, count)};
}

Noisy beside(const Noisy& a, const Noisy& b) {
  Noisy both = Noisy::exact(Rows::Zero(a.value.rows(), a.value.cols() + b.value.cols()));
  both.value << a.value, b.value;
  both.variance << a.variance, b.variance;
  return both;
}

struct Definition {
  const ModelShape& model;
  const LatentShape& latent;
  Rows kv_b;      // [kv_rank, heads (nope + values)]
  Noisy queries;  // [tokens, heads (nope + rope)], rotated
  Noisy latents;  // of all tokens, [tokens, kv_rank]
  Noisy rotated_keys;

  Noisy query(Index head) const { return columns(queries, head * at(latent.head()), at(latent.head())); }
  Rows keys_of(Index head) const { return matrix(head, 0, latent.nope); }
  Rows values_of(Index head) const { return matrix(head, at(latent.nope), latent.values); }
  Rows matrix(Index head, Index first, std::uint64_t count) const {
    return kv_b.middleCols(head * at(latent.nope + latent.values) + first, at(count));
  }
  template <class Of>
  Noisy of_heads(const Of& of) const {
    Noisy all = of(Index{0});
    for (Index head = 1; head < at(model.heads); ++head) all = beside(all, of(head));
    return all;
  }

  Noisy expanded() const {
    const Noisy keys =
                    of_heads([&](Index head) { return beside(times(latents, keys_of(head)), rotated_keys); }),
                values = of_heads([&](Index head) { return times(latents, values_of(head)); });
    return attended(model, {queries, keys, values}, 0,
                    HeadSizes{model.heads, 1, latent.head(), latent.values});
  }

  Noisy absorbed() const {
    const Noisy asked = of_heads([&](Index head) {
      const Noisy q = query(head);
      return beside(times_transposed(columns(q, 0, at(latent.nope)), keys_of(head)),
                    columns(q, at(latent.nope), at(latent.rope)));
    });
    const Noisy results = attended(model, {asked, beside(latents, rotated_keys), latents}, 0,
                                   HeadSizes{model.heads, model.heads, latent.cached(), latent.kv_rank});
    return of_heads([&](Index head) {
      return times(columns(results, head * at(latent.kv_rank), at(latent.kv_rank)), values_of(head));
    });
  }
};

}  // namespace

Noisy latent_attended(const ModelShape& model, const HostWeights& weights, const Cache& cache, const Noisy& a,
                      const Rows& angles, bool absorbed) {
  const LatentShape& l = model.latent;
  const Noisy from = l.q_rank == 0 ? a
                                   : normalised(times(a, matrix_of(weights.q_a)), matrix_of(weights.q_a_gain),
                                                model.epsilon),
              q = times(from, matrix_of(weights.q)), kv = times(a, matrix_of(weights.kv_a)),
              made = normalised(columns(kv, 0, at(l.kv_rank)), matrix_of(weights.kv_a_gain), model.epsilon),
              turned = rotated(columns(kv, at(l.kv_rank), at(l.rope)), angles, false);
  Definition definition{model, l, matrix_of(weights.kv_b), {}, made, turned};
  if (cache.k.rows() > 0) {
    definition.latents = behind(cache.k.leftCols(at(l.kv_rank)), made);
    definition.rotated_keys = behind(cache.k.rightCols(at(l.rope)), turned);
  }
  definition.queries = q;
  definition.queries = definition.of_heads([&](Index head) {
    const Noisy one = columns(q, head * at(l.head()), at(l.head()));
    return beside(columns(one, 0, at(l.nope)), rotated(columns(one, at(l.nope), at(l.rope)), angles, false));
  });
  Noisy o = definition.expanded();
  if (absorbed) o.variance = definition.absorbed().variance;
  return o;
}

}  // namespace tahoma::workloads
