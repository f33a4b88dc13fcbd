// SPDX-License-Identifier: Apache-2.0
// The part of a layer on a rank, and the division among its physical cores. Heads are sharded over the ranks;
// if there are more ranks than heads, `sharers` of them have the same heads and each processes a part of the
// rows (queries of a prefill, sequences of a decoding step). Keys and values are replicated on every rank
// that needs them. Experts are sharded over blocks of neighbouring ranks.
#pragma once

#include "runtime/run/placement.h"
#include "workloads/transformer/partition/transformer_params.h"

namespace tahoma::workloads {

struct RankShare {
  RankShare(const TransformerParams& params, std::uint64_t physical_cores);

  std::uint64_t heads, kv_heads, heads_per_kv;  // of a rank
  std::uint64_t sharers;                        // ranks that have the same heads
  std::uint64_t ffn;                            // hidden features of a rank, of each expert
  std::uint64_t common_ffn;                     // of the part that every token passes; 0: there is none
  std::uint64_t group;                          // query heads of the model that share keys
  std::uint64_t experts;                        // of a rank; those of its block
  std::uint64_t block;                          // ranks that share them
  std::uint64_t dense_ffn;                      // of the part of a layer without experts, if others have some
  bool mixture;                                 // the layer has experts
  bool delta;                                   // the layer has a delta rule instead of attention
  bool feeds;                                   // the layer has a feed-forward part
  bool gated;                                   // heads of queries have gates
  bool head_norms;                              // heads of queries and keys have norms
  std::uint64_t physical_cores, ranks;
  bool absorbed;  // queries and results are multiplied by the matrices of keys and values (latent attention)

  std::uint64_t first_head(std::uint64_t rank) const { return rank / sharers * heads; }
  std::uint64_t first_kv_head(std::uint64_t rank) const { return first_head(rank) / group; }
  // Columns of the product with the weights of queries, keys, values and gates, in heads.
  std::uint64_t units() const { return (gated ? 2 : 1) * heads + 2 * kv_heads; }
  // Features of what the layer projects.
  std::uint64_t mixed(const ModelShape& model) const {
    return delta ? model.delta.values() / ranks : heads * model.value_dim();
  }
  DeltaHeads delta_heads(const ModelShape& model) const {  // of a physical core
    return model.delta.of_core(ranks * physical_cores);
  }
  runtime::Part units_of(std::uint64_t physical_core) const {
    return runtime::part_of(units(), physical_cores, physical_core);
  }

  // Returns the share in one of the layers of the model.
  RankShare of_layer(const ModelShape& model, std::uint64_t layer) const;

  // Attention: heads of a physical core, and its part of their rows.
  struct Heads {
    std::uint64_t first, count, part, parts;
  };
  Heads heads_of(std::uint64_t rank, std::uint64_t physical_core) const;
};

}  // namespace tahoma::workloads
