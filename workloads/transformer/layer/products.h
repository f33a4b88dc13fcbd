// SPDX-License-Identifier: Apache-2.0
// What prefill and decode do alike between their collectives: the products of a layer and what stands between
// two of them, on some rows of its tensors, by all physical cores of all ranks.
#pragma once

#include <functional>

#include "workloads/transformer/layer/feed_forward.h"
#include "workloads/transformer/layer/layer_weights.h"
#include "workloads/transformer/layer/parts.h"

namespace tahoma::workloads {

// Token-major, on one rank; each physical core makes as many of the columns, of qkv those of its heads.
struct LayerTensors {
  Matrix qkv, o, partial, gate_up, hidden, partial_mlp;
};

struct Products {
  Replica& replica;
  const ModelShape& model;
  const RankShare& share;
  std::function<const LayerTensors&(std::size_t rank)> tensors;
  std::function<const LayerWeights&(std::size_t rank)> weights;
  runtime::Part rows;

  using Input = std::function<runtime::HbmView(std::size_t rank, std::size_t physical_core)>;
  void make_heads(const Input& normed) const;
  void project() const;                          // partial, which the physical cores then meet about
  void feed_forward(const Input& normed) const;  // partial_mlp, likewise: both of these
  void widen(const Input& normed) const;         // hidden, which the physical cores then meet about
  void narrow() const;                           // partial_mlp, likewise

 private:
  using Which = Matrix LayerTensors::*;
  LayerPart part(std::size_t rank, std::size_t physical_core) const {
    return {replica.kernel(rank, physical_core), replica.machine(), model};
  }
  runtime::HbmView view(std::size_t rank, std::size_t physical_core, Which which) const {
    return rows_of((tensors(rank).*which).of(physical_core), rows.first, rows.count);
  }
  FeedForwardViews feed_forward_views(std::size_t rank, std::size_t physical_core,
                                      const runtime::HbmView& normed) const;
  void synchronise_columns(Which which) const;
};

}  // namespace tahoma::workloads
