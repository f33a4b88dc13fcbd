// SPDX-License-Identifier: Apache-2.0
// From the heads of a slice of a prefill to the outputs of attention.
#pragma once

#include "workloads/transformer/prefill/prefill_layer.h"
#include "workloads/transformer/prefill/prefill_stage_tensors.h"

namespace tahoma::workloads {

class PrefillAttention {
 public:
  PrefillAttention(Replica& replica, const TransformerParams& params, const RankShare& share,
                   const RowSharding& rows, const TokenSharding& tokens, const PrefillStageTensors& tensors)
      : replica_(replica), params_(params), share_(share), rows_(rows), tokens_(tokens), tensors_(tensors) {}

  using Layers = std::vector<PrefillLayer>;  // by rank
  void rotate_heads(const Layers& ranks, std::size_t layer, std::size_t slice);
  // Heads of a run of rows, each by the angles of its token.
  void rotate(std::size_t rank, std::size_t physical_core, std::size_t layer, const runtime::HbmView& heads,
              std::uint64_t first_row);
  // The heads of all slices are there. Where groups share sequences, their keys and values are collected;
  // behind a cached context they are appended to the cache.
  void finish_heads(const Layers& ranks, std::size_t layer, std::size_t microbatch);
  // Keys and values, which groups gather.
  std::vector<PhasePrograms::Share> shares(const Layers& ranks) const;
  void attend(const Layers& ranks, std::size_t layer, std::size_t microbatch);

 private:
  LayerPart part(std::size_t rank, std::size_t physical_core) {
    return {replica_.kernel(rank, physical_core), replica_.machine(), params_.model};
  }
  void gate(const Layers& ranks);  // multiplies the outputs
  void append_keys(const Layers& ranks, std::size_t layer, std::size_t microbatch);
  void collect_keys(const Layers& ranks);
  void synchronise_keys(const Layers& ranks);
  LayerPart::Attention latent_attention_of(const PrefillLayer& of_rank, std::size_t rank,
                                           std::size_t physical_core, std::uint64_t sequence) const;
  // A physical core's part of the attention of the n-th run of a sequence.
  LayerPart::Attention attention_of(const PrefillLayer& of_rank, const Matrix* cache, std::size_t rank,
                                    std::size_t physical_core, std::uint64_t sequence,
                                    std::uint64_t run) const;

  Replica& replica_;
  const TransformerParams& params_;
  const RankShare& share_;
  const RowSharding& rows_;
  const TokenSharding& tokens_;
  const PrefillStageTensors& tensors_;
};

}  // namespace tahoma::workloads
