// SPDX-License-Identifier: Apache-2.0
// The tensors that a stage of a decoding step has for all of its layers and microbatches: weights, caches and
// the residual stream at its borders. The host fills them and reads the result.
#pragma once

#include <vector>

#include "workloads/transformer/decode/decode_sharding.h"
#include "workloads/transformer/layer/layer_weights.h"
#include "workloads/transformer/phases/phase_programs.h"

namespace tahoma::workloads {

class DecodeStageTensors {
 public:
  DecodeStageTensors(Replica& replica, const TransformerParams& params, const Station& station,
                     const RankShare& share, const DecodeSharding& sharding);

  struct Cache {  // of the sequences of one physical core
    Matrix k, v;
  };
  struct OfRank {
    std::vector<LayerWeights> weights;                    // by layer
    std::vector<std::vector<std::vector<Cache>>> caches;  // by layer, microbatch and physical core
    Matrix table, local_table;                            // of the rotary embedding
    // By microbatch and physical core: the whole stream, or a run to hand over.
    std::vector<std::vector<Matrix>> in, out;
    std::vector<std::vector<Matrix>> came;  // by microbatch and physical core: the run that was received
  };
  const OfRank& operator[](std::size_t rank) const { return ranks_[rank]; }
  // `layer` counts from the first layer of the stage.
  const Matrix& table(std::size_t rank, std::size_t layer) const {
    const bool local = params_.model.rope.local_theta > 0 && params_.model.local(first_layer_ + layer);
    return local ? ranks_[rank].local_table : ranks_[rank].table;
  }
  // Earlier tokens of a sequence that the cache of a layer of the stage keeps on this group, and with the new
  // token.
  std::uint64_t kept(std::size_t layer) const {
    return params_.model.kept(first_layer_ + layer, sharding_.context);
  }
  std::uint64_t capacity(std::size_t layer) const { return kept(layer) + (sharding_.has_new ? 1 : 0); }

  // The stage's first layer has this number in the case.
  void fill(runtime::Machine& machine, const HostCase& values, std::size_t first_layer) const;
  void gather(runtime::Machine& machine, runtime::HostTensor& out) const;
  // Row of the case of the first row of a replica's microbatch.
  std::uint64_t first_row(std::size_t replica, std::size_t microbatch) const {
    return (replica_.alike()[replica].number * params_.microbatches + microbatch) * sharding_.rows;
  }

 private:
  // Where a cache is; `layer` counts from the first layer of the stage.
  struct CacheAddress {
    std::size_t replica = 0, microbatch = 0, rank = 0, physical_core = 0, layer = 0;
  };
  const Cache& cache_at(const CacheAddress& at) const {
    return ranks_[at.rank].caches[at.layer][at.microbatch][at.physical_core];
  }
  // Of a delta rule, k has the states, and v the last tokens in front of the convolution.
  Cache allocate_states(std::size_t rank, std::size_t physical_core);
  void fill_states(runtime::Machine& machine, const CacheAddress& at, const HostCache& values) const;
  Cache allocate_cache(std::size_t rank, std::size_t physical_core, std::size_t layer);
  void place_stream(std::size_t rank);
  void fill_cache(runtime::Machine& machine, const CacheAddress& at, const HostCache& values) const;

  Replica& replica_;
  const TransformerParams& params_;
  Station station_;
  const RankShare& share_;
  const DecodeSharding& sharding_;
  std::uint64_t first_layer_, layers_;  // of the stage
  std::vector<OfRank> ranks_;
};

}  // namespace tahoma::workloads
