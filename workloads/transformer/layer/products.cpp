// SPDX-License-Identifier: Apache-2.0
#include "workloads/transformer/layer/products.h"

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
    part(r, h).product(normed(r, h), heads_of(weights(r).qkv.of(h), first, count, model.head_dim),
                       heads_of(view(r, h, &LayerTensors::qkv), first, count, model.head_dim));
  });
}

void Products::project() const {
  replica.each("projection", [&](std::size_t r, std::size_t h) {
    part(r, h).product(view(r, h, &LayerTensors::o), replica.core_columns(weights(r).o.of(h), h),
                       replica.core_columns(view(r, h, &LayerTensors::partial), h));
  });
  synchronise_columns(&LayerTensors::partial);
}

FeedForwardViews Products::feed_forward_views(std::size_t r, std::size_t h, const HbmView& normed) const {
  return {normed,
          weights(r).gate_up.of(h),
          weights(r).down.of(h),
          view(r, h, &LayerTensors::gate_up),
          view(r, h, &LayerTensors::hidden),
          view(r, h, &LayerTensors::partial_mlp)};
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
