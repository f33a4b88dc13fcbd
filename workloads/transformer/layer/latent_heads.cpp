// SPDX-License-Identifier: Apache-2.0
#include "workloads/transformer/layer/latent_heads.h"

namespace tahoma::workloads {

using runtime::HbmView, runtime::Part;

namespace {

HbmView columns_of(const HbmView& view, std::uint64_t first, std::uint64_t count) {
  return view.window(0, first, view.rows, count);
}

}  // namespace

void LatentHeads::synchronise(
    const std::function<std::vector<HbmView>(std::size_t, std::size_t, std::size_t)>& written) const {
  for (std::size_t r = 0; r < replica().ranks(); ++r)
    replica().synchronise(r,
                          [&](std::size_t writer, std::size_t viewer) { return written(r, writer, viewer); });
}

void LatentHeads::make_latents(const Products::Input& normed, const Rotate& rotate) const {
  const auto down = [&](std::size_t r, std::size_t h) { return rows(products_.tensors(r).latent.down, h); };
  replica().each("latents", [&](std::size_t r, std::size_t h) {
    part(r, h).product(normed(r, h), replica().core_columns(products_.weights(r).latent_down.of(h), h),
                       replica().core_columns(down(r, h), h));
  });
  synchronise([&](std::size_t r, std::size_t writer, std::size_t viewer) {
    return std::vector<HbmView>{replica().core_columns(down(r, viewer), writer)};
  });
  const auto own = [&](std::size_t writer) {
    return runtime::part_of(products_.rows.count, replica().physical_cores(), writer);
  };
  replica().each("latent norm", [&](std::size_t r, std::size_t h) {
    const Part rows = own(h);
    if (rows.count == 0) return;
    const HbmView view = rows_of(down(r, h), rows.first, rows.count);
    const auto norm = [&](std::uint64_t first, std::uint64_t count, const Matrix& gain) {
      const HbmView vectors = columns_of(view, first, count);
      part(r, h).norm(vectors, nullptr, nullptr, gain.of(h), vectors);
    };
    if (latent_.q_rank > 0) norm(0, latent_.q_rank, products_.weights(r).q_a_gain);
    norm(latent_.q_rank, latent_.kv_rank, products_.weights(r).kv_a_gain);
    rotate(r, h, columns_of(view, latent_.q_rank + latent_.kv_rank, latent_.rope), rows);
  });
  synchronise([&](std::size_t r, std::size_t writer, std::size_t viewer) {
    const Part rows = own(writer);
    if (rows.count == 0) return std::vector<HbmView>{};
    return std::vector<HbmView>{rows_of(down(r, viewer), rows.first, rows.count)};
  });
}

void LatentHeads::make(const Products::Input& normed, const Rotate& rotate) const {
  make_latents(normed, rotate);
  const LatentShape& l = latent_;
  const bool absorbed = products_.share.absorbed;
  replica().each("qkv", [&](std::size_t r, std::size_t h) {
    const Part own = heads(h);
    if (own.count == 0) return;
    const LayerWeights& w = products_.weights(r);
    const HbmView down = rows(products_.tensors(r).latent.down, h),
                  from = l.q_rank > 0 ? columns_of(down, 0, l.q_rank) : normed(r, h),
                  vectors = columns_of(down, l.q_rank, l.kv_rank);
    const auto product = [&](const HbmView& a, const Matrix& weights, Which to, std::uint64_t features) {
      part(r, h).product(a, heads_of(weights.of(h), own.first, own.count, features),
                         of_heads(r, h, to, own, features));
    };
    product(from, w.q_nope, &LatentTensors::q_nope, l.nope);
    product(from, w.q_rope, &LatentTensors::q_rope, l.rope);
    rotate(r, h, of_heads(r, h, &LatentTensors::q_rope, own, l.rope), {0, products_.rows.count});
    if (!absorbed) {
      product(vectors, w.k_up, &LatentTensors::k, l.nope);
      product(vectors, w.v_up, &LatentTensors::v, l.values);
      return;
    }
    for (std::uint64_t head = own.first; head < own.first + own.count; ++head)
      part(r, h).product(of_heads(r, h, &LatentTensors::q_nope, {head, 1}, l.nope),
                         rows_of(w.k_up.of(h), head * l.nope, l.nope),
                         of_heads(r, h, &LatentTensors::q, {head, 1}, l.kv_rank));
  });
  synchronise([&](std::size_t r, std::size_t writer, std::size_t viewer) {
    const Part own = heads(writer);
    std::vector<HbmView> written;
    if (own.count == 0) return written;
    const auto add = [&](Which which, std::uint64_t features) {
      written.push_back(of_heads(r, viewer, which, own, features));
    };
    add(&LatentTensors::q_rope, l.rope);
    if (absorbed) {
      add(&LatentTensors::q, l.kv_rank);
    } else {
      add(&LatentTensors::q_nope, l.nope);
      add(&LatentTensors::k, l.nope);
      add(&LatentTensors::v, l.values);
    }
    return written;
  });
}

void LatentHeads::expand() const {
  const auto outputs = [&](std::size_t r, std::size_t h, const Part& heads) {
    return heads_of(rows(products_.tensors(r).o, h), heads.first, heads.count, latent_.values);
  };
  replica().each("values", [&](std::size_t r, std::size_t h) {
    const Part own = heads(h);
    for (std::uint64_t head = own.first; head < own.first + own.count; ++head)
      part(r, h).product(of_heads(r, h, &LatentTensors::o, {head, 1}, latent_.kv_rank),
                         heads_of(products_.weights(r).v_up.of(h), head, 1, latent_.values),
                         outputs(r, h, {head, 1}));
  });
  synchronise([&](std::size_t r, std::size_t writer, std::size_t viewer) {
    if (heads(writer).count == 0) return std::vector<HbmView>{};
    return std::vector<HbmView>{outputs(r, viewer, heads(writer))};
  });
}

}  // namespace tahoma::workloads
