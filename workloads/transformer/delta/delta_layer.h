// SPDX-License-Identifier: Apache-2.0
// The gated delta rule of a layer on the ranks: each physical core has heads of its own, from the product of
// the tokens to the outputs, which the projection reads.
#pragma once

#include <functional>

#include "workloads/delta/delta_shape.h"
#include "workloads/transformer/layer/products.h"

namespace tahoma::workloads {

struct DeltaLayer {
  // Queries, keys, values, and the numbers of heads of the rows.
  void make(const Products& products, const Products::Input& normed) const;
  // Calls rule(part, heads, views, rank, physical core) with all views but the states; the cores then
  // synchronise.
  using Rule = std::function<void(const LayerPart& part, const DeltaHeads& heads, DeltaViews views,
                                  std::size_t rank, std::size_t physical_core)>;
  void apply(const Products& products, const Rule& rule) const;
};

}  // namespace tahoma::workloads
