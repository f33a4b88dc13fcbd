// SPDX-License-Identifier: Apache-2.0
// The attention of a decoding step. Groups that share sequences attend to their own tokens each, and all of
// them put the parts together.
#pragma once

#include "workloads/transformer/decode/decode_layer.h"
#include "workloads/transformer/decode/decode_stage_tensors.h"

namespace tahoma::workloads {

class DecodeAttention {
 public:
  DecodeAttention(Replica& replica, const TransformerParams& params, const RankShare& share,
                  const DecodeSharding& sharding, const DecodeStageTensors& tensors)
      : replica_(replica), params_(params), share_(share), sharding_(sharding), tensors_(tensors) {}

  // The caches get the new token, and the heads of a layer of the stage their outputs, or this group's part.
  void attend(const std::vector<DecodeLayer>& ranks, std::size_t layer, std::size_t microbatch);
  // The parts and their log-sums, which groups gather.
  std::vector<PhasePrograms::Share> shares(const std::vector<DecodeLayer>& ranks) const;
  void gate(const std::vector<DecodeLayer>& ranks);  // multiplies the outputs, if the model has gates
  void merge(const std::vector<DecodeLayer>& ranks);

 private:
  LayerPart part(std::size_t rank, std::size_t physical_core) {
    return {replica_.kernel(rank, physical_core), replica_.machine(), params_.model};
  }
  runtime::HbmView lse_of(const DecodeLayer::CoreTensors& tensors, std::size_t physical_core) const;
  void append_latents(const DecodeLayer& of_rank, std::size_t rank, std::size_t physical_core,
                      std::size_t layer, const DecodeStageTensors::Cache& cache);
  LayerPart::Decode latent_decode(const DecodeLayer& of_rank, std::size_t rank, std::size_t physical_core,
                                  std::size_t layer, const DecodeStageTensors::Cache& cache) const;
  void append(const DecodeLayer& of_rank, std::size_t rank, std::size_t physical_core, std::size_t layer,
              const DecodeStageTensors::Cache& cache);

  Replica& replica_;
  const TransformerParams& params_;
  const RankShare& share_;
  const DecodeSharding& sharding_;
  const DecodeStageTensors& tensors_;
};

}  // namespace tahoma::workloads
