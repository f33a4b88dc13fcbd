// SPDX-License-Identifier: Apache-2.0
// The computation that prefill and decode share between their collectives: the products of a layer and the
// steps between two of them, on some rows of its tensors, on all physical cores of all ranks.
#pragma once

#include <functional>

#include "workloads/transformer/layer/feed_forward.h"
#include "workloads/transformer/layer/layer_weights.h"
#include "workloads/transformer/layer/parts.h"

namespace tahoma::workloads {

// Token-major, on one rank; each physical core computes equally many of the columns, and for qkv those of its
// heads.
struct LatentTensors {
  Matrix down;  // latent vectors of queries and of keys and values, and the rotated features of keys
  Matrix q_nope, q_rope;  // of the heads of queries, which are not rotated, and which are
  Matrix k, v;            // of a prefill: those of keys that are not rotated, and values
  Matrix q, o;            // of a decoding step: queries of the latent vectors, and sums of them
};

struct LayerTensors {
  LatentTensors latent;
  Matrix delta_in;            // of a delta rule: [rows, columns of each physical core]
  std::vector<Matrix> mixed;  // behind its convolution, by physical core
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
  void make_heads(const Input& normed) const;    // with their biases and norms, if the model has them
  void project() const;                          // computes partial; the physical cores then synchronise
  void feed_forward(const Input& normed) const;  // computes partial_mlp: both of the following
  void widen(const Input& normed) const;         // computes hidden; the physical cores then synchronise
  void narrow() const;                           // computes partial_mlp; the physical cores then synchronise

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
  std::optional<runtime::HbmView> core_columns(const Matrix& bias, std::size_t physical_core) const;
  void synchronise_columns(Which which) const;
  void normalise_heads() const;  // of queries and keys, in place
};

// RMS norms of queries and keys over the features of all heads, in place: the ranks add up the squares of
// their heads. Each physical core of a rank normalises its rows.
using RowsOfCore = std::function<runtime::Part(std::size_t physical_core)>;
using KeepCollective = std::function<void(std::size_t physical_core, runtime::collective::PlannedCollective)>;
void normalise_jointly(const Products& products, const RowsOfCore& rows,
                       runtime::collective::Algorithm algorithm, const KeepCollective& keep);
// Likewise of the outputs of Mamba-2, over the heads that share keys, if these are on several physical cores;
// ranks that share such heads add up squares.
void normalise_groups(const Products& products, const RowsOfCore& rows,
                      runtime::collective::Algorithm algorithm, const KeepCollective& keep);

}  // namespace tahoma::workloads
