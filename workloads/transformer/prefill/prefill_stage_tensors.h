// SPDX-License-Identifier: Apache-2.0
// The tensors that a stage of a prefill has for all of its layers and microbatches: weights and the residual
// stream at its borders. The host fills them and reads the result.
#pragma once

#include <vector>

#include "workloads/transformer/layer/layer_weights.h"
#include "workloads/transformer/partition/rows.h"
#include "workloads/transformer/partition/tokens.h"
#include "workloads/transformer/phases/phase_programs.h"

namespace tahoma::workloads {

class PrefillStageTensors {
 public:
  PrefillStageTensors(Replica& replica, const TransformerParams& params, const Station& station,
                      const RankShare& share, const RowSharding& rows, const TokenSharding& tokens);

  struct OfRank {
    std::vector<LayerWeights> weights;  // by layer
    Matrix table, local_table;          // of the rotary embedding
    // Behind a cached context: keys and values of it and of the tokens, side by side, by layer and
    // microbatch.
    std::vector<std::vector<Matrix>> caches;
    // By microbatch and physical core: its rows of the residual stream, slice by slice.
    std::vector<std::vector<Matrix>> in, out;
  };
  const OfRank& operator[](std::size_t rank) const { return ranks_[rank]; }
  // `layer` counts from the first layer of the stage.
  const Matrix& table(std::size_t rank, std::size_t layer) const {
    const bool local = params_.model.rope.local_theta > 0 && params_.model.local(first_layer_ + layer);
    return local ? ranks_[rank].local_table : ranks_[rank].table;
  }
  // The keys that the queries of a layer of the stage see; 0: all.
  std::uint64_t window(std::size_t layer) const { return params_.model.window_of(first_layer_ + layer); }
  // Whether the layer has the rotary embedding.
  bool turned(std::size_t layer) const { return params_.model.turned(first_layer_ + layer); }
  // Tokens of a sequence that a cache has.
  std::uint64_t cache_tokens() const { return params_.cached + params_.tokens; }

  // The stage's first layer has this number in the case.
  void fill(runtime::Machine& machine, const HostCase& values, std::size_t first_layer) const;
  void gather(runtime::Machine& machine, runtime::HostTensor& out) const;
  std::uint64_t case_row(std::size_t replica, std::size_t microbatch, std::uint64_t row) const;

 private:
  // Calls body(replica, microbatch, rank, physical core, number of its own row, row of the case) for each
  // row.
  template <class Body>
  void for_rows(Body&& body) const;
  void allocate_caches(std::size_t rank);
  void fill_table(runtime::Machine& machine, const Matrix& table, const runtime::HostTensor& values) const;
  void fill_caches(runtime::Machine& machine, std::size_t rank, std::size_t layer,
                   const HostCache& values) const;

  Replica& replica_;
  const TransformerParams& params_;
  const RankShare& share_;
  const RowSharding& rows_;
  const TokenSharding& tokens_;
  std::uint64_t first_layer_, layers_;  // of the stage
  bool first_stage_;
  std::vector<OfRank> ranks_;
};

}  // namespace tahoma::workloads
