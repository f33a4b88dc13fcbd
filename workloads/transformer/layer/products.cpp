// SPDX-License-Identifier: Apache-2.0
#include "workloads/transformer/layer/products.h"

#include <algorithm>

namespace tahoma::workloads {

using runtime::HbmView;

void Products::synchronise_columns(Which which) const {
  for (std::size_t r = 0; r < replica.ranks(); ++r)
    replica.synchronise(r, [&](std::size_t writer, std::size_t viewer) {
      return std::vector<HbmView>{replica.core_columns(view(r, viewer, which), writer)};
    });
}

void Products::make_heads(const Input& normed) const {
  replica.each("qkv", [&](std::size_t r, std::size_t h) {
    const auto [first, count] = share.units_of(h);
    if (count == 0) return;
    const auto heads = [&, first = first, count = count](const HbmView& all) {
      return heads_of(all, first, count, model.head_dim);
    };
    const HbmView a = normed(r, h), b = heads(weights(r).qkv.of(h)),
                  c = heads(view(r, h, &LayerTensors::qkv));
    std::optional<HbmView> bias = optional_view(weights(r).qkv_bias, h);
    if (bias) bias = heads(*bias);
    part(r, h).product(a, b, c, bias);
    if (model.qkv_limit > 0) part(r, h).limit(c, model.qkv_limit);
  });
  if (!weights(0).q_norm.views.empty()) normalise_heads();
}

void Products::normalise_heads() const {
  replica.each("qk norm", [&](std::size_t r, std::size_t h) {
    const auto [first, count] = share.units_of(h);
    for (std::uint64_t unit = first; unit < std::min(first + count, share.heads + share.kv_heads); ++unit) {
      const HbmView head = heads_of(view(r, h, &LayerTensors::qkv), unit, 1, model.head_dim);
      const Matrix& gain = unit < share.heads ? weights(r).q_norm : weights(r).k_norm;
      part(r, h).norm(head, nullptr, nullptr, gain.of(h), head);
    }
  });
}

std::optional<HbmView> Products::core_columns(const Matrix& bias, std::size_t h) const {
  std::optional<HbmView> view = optional_view(bias, h);
  if (view) view = replica.core_columns(*view, h);
  return view;
}

void Products::project() const {
  replica.each("projection", [&](std::size_t r, std::size_t h) {
    part(r, h).product(view(r, h, &LayerTensors::o), replica.core_columns(weights(r).o.of(h), h),
                       replica.core_columns(view(r, h, &LayerTensors::partial), h),
                       core_columns(weights(r).o_bias, h));
  });
  synchronise_columns(&LayerTensors::partial);
}

FeedForwardViews Products::feed_forward_views(std::size_t r, std::size_t h, const HbmView& normed) const {
  return {normed,
          weights(r).gate_up.of(h),
          weights(r).down.of(h),
          model.gated ? view(r, h, &LayerTensors::gate_up) : HbmView{},
          view(r, h, &LayerTensors::hidden),
          view(r, h, &LayerTensors::partial_mlp),
          optional_view(weights(r).gate_up_bias, h),
          optional_view(weights(r).down_bias, h)};
}

void Products::feed_forward(const Input& normed) const {
  widen(normed);
  narrow();
}

void Products::widen(const Input& normed) const {
  emit_widen(replica, model,
             [&](std::size_t r, std::size_t h) { return feed_forward_views(r, h, normed(r, h)); });
}

void Products::narrow() const {
  emit_narrow(replica, model, [&](std::size_t r, std::size_t h) { return feed_forward_views(r, h, {}); });
}

}  // namespace tahoma::workloads
