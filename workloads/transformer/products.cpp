// SPDX-License-Identifier: Apache-2.0
#include "workloads/transformer/products.h"

namespace tahoma::workloads {

using runtime::HbmView;

void Products::meet_columns(Which which) const {
  for (std::size_t r = 0; r < replica.ranks(); ++r)
    replica.meet(r, [&](std::size_t writer, std::size_t viewer) {
      return std::vector<HbmView>{replica.half_of_columns(view(r, viewer, which), writer)};
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
    part(r, h).product(view(r, h, &LayerTensors::o), replica.half_of_columns(weights(r).o.of(h), h),
                       replica.half_of_columns(view(r, h, &LayerTensors::partial), h));
  });
  meet_columns(&LayerTensors::partial);
}

void Products::feed_forward(const Input& normed) const {
  widen(normed);
  narrow();
}

void Products::widen(const Input& normed) const {
  replica.each("gate and up", [&](std::size_t r, std::size_t h) {
    part(r, h).product(normed(r, h), replica.half_of_columns(weights(r).gate_up.of(h), h),
                       replica.half_of_columns(view(r, h, &LayerTensors::gate_up), h));
  });
  replica.each("activation", [&](std::size_t r, std::size_t h) {
    const HbmView both = replica.half_of_columns(view(r, h, &LayerTensors::gate_up), h);
    const std::uint64_t columns = both.columns / 2;
    part(r, h).gated(both.window(0, 0, both.rows, columns), both.window(0, columns, both.rows, columns),
                     replica.half_of_columns(view(r, h, &LayerTensors::hidden), h));
  });
  meet_columns(&LayerTensors::hidden);
}

void Products::narrow() const {
  replica.each("down", [&](std::size_t r, std::size_t h) {
    part(r, h).product(view(r, h, &LayerTensors::hidden), replica.half_of_columns(weights(r).down.of(h), h),
                       replica.half_of_columns(view(r, h, &LayerTensors::partial_mlp), h));
  });
  meet_columns(&LayerTensors::partial_mlp);
}

}  // namespace tahoma::workloads
