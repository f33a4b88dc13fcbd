// SPDX-License-Identifier: Apache-2.0
#include "workloads/transformer/delta/delta_layer.h"

namespace tahoma::workloads {

using runtime::HbmView;

void DeltaLayer::make(const Products& products, const Products::Input& normed) const {
  Replica& replica = products.replica;
  replica.each("delta in", [&](std::size_t r, std::size_t h) {
    const HbmView in = products.tensors(r).delta_in.of(h);
    LayerPart{replica.kernel(r, h), replica.machine(), products.model}.product(
        normed(r, h), replica.core_columns(products.weights(r).delta_in.of(h), h),
        replica.core_columns(rows_of(in, products.rows.first, products.rows.count), h));
  });
}

void DeltaLayer::apply(const Products& products, const Rule& rule) const {
  Replica& replica = products.replica;
  const DeltaHeads heads = products.share.delta_heads(products.model);
  replica.each("delta rule", [&](std::size_t r, std::size_t h) {
    const LayerTensors& tensors = products.tensors(r);
    const LayerWeights& weights = products.weights(r);
    DeltaViews views;
    views.in = replica.core_columns(tensors.delta_in.of(h), h);
    views.mixed = tensors.mixed[h].of(h);
    views.out = replica.core_columns(tensors.o.of(h), h);
    views.taps = replica.core_columns(weights.delta_taps.of(h), h);
    views.rate = replica.core_columns(weights.delta_rate.of(h), h);
    views.shift = replica.core_columns(weights.delta_shift.of(h), h);
    views.gain = heads.scans() ? replica.core_columns(weights.delta_gain.of(h), h) : weights.delta_gain.of(h);
    if (heads.scans()) views.skip = replica.core_columns(weights.delta_skip.of(h), h);
    rule(LayerPart{replica.kernel(r, h), replica.machine(), products.model}, heads, views, r, h);
  });
  for (std::size_t r = 0; r < replica.ranks(); ++r)
    replica.synchronise(r, [&](std::size_t writer, std::size_t viewer) {
      return std::vector<HbmView>{replica.core_columns(products.tensors(r).o.of(viewer), writer)};
    });
}

}  // namespace tahoma::workloads
