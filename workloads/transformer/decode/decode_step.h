// SPDX-License-Identifier: Apache-2.0
// The layers of a decoding step on the ranks of a replica: one new token of each sequence with a cache of the
// earlier ones. Every physical core of a rank has the whole residual stream, which is small. An all_reduce
// adds up the ranks' partial sums; each physical core does a part of the rows. Sequences are sharded over the
// physical cores, and over the ranks that have the same heads, with their caches: k [kv heads, sequences,
// head_dim, capacity], v [kv heads, sequences, capacity, head_dim].
//
// Groups that share sequences have equal parts of every sequence's cache and do all but attention alike; each
// attends to its own tokens, and all of them put the parts together (decode_attention.h).
//
// Between stages of a pipeline a rank hands over its run of its physical core's rows of the residual stream
// (decode_sharding.h); an all_gather of the next stage puts them together.
#pragma once

#include "workloads/transformer/decode/decode_attention.h"
#include "workloads/transformer/delta/delta_layer.h"
#include "workloads/transformer/experts/experts.h"

namespace tahoma::workloads {

class DecodeStep final : public PhasePrograms {
 public:
  // `routing`: for a mixture of experts.
  DecodeStep(Replica& replica, const TransformerParams& params, const Station& station,
             const ExpertRouting* routing);

  void begin(std::size_t microbatch) override;
  void prepare(std::size_t layer) override;
  void complete(std::size_t layer) override;
  void end(std::size_t microbatch) override;
  std::vector<Share> shares() const override { return attention_.shares(layers_); }
  void fill(runtime::Machine& machine, const HostCase& values) const override;

 private:
  void gather_stream(runtime::Machine& machine, runtime::HostTensor& out) const override {
    tensors_.gather(machine, out);
  }
  std::uint64_t case_row(std::size_t group, std::size_t microbatch, std::uint64_t row) const override {
    return tensors_.first_row(group, microbatch) + row;
  }
  using Whole = Matrix DecodeLayer::*;

  void put_together();
  void embed();
  Products products(std::size_t layer) const;
  runtime::HbmView all_rows(const Matrix& matrix, std::size_t physical_core) const {
    return rows_of(matrix.of(physical_core), 0, sharding_.rows);
  }
  // The rows that a physical core sums over the ranks.
  runtime::HbmView reduced(const Matrix& matrix, std::size_t physical_core) const {
    const auto [first, count] = sharding_.reduced_rows(physical_core);
    return rows_of(matrix.of(physical_core), first, count);
  }
  // What a layer leaves behind: the next one adds it up.
  struct Summands {
    runtime::HbmView stream, sublayer;
  };
  Summands left_by(const DecodeLayer& of_rank, std::size_t layer, std::size_t physical_core) const;
  void normalise(std::size_t layer);
  void make_heads(std::size_t layer);
  void delta_rule(std::size_t layer);  // instead of attention
  void project(std::size_t layer);
  void reduce(const char* region, Whole partial, Whole sum);
  // In place, if the model has it.
  void post_norm(std::size_t layer, Matrix LayerWeights::*gain, Whole sum);
  void feed_forward(std::size_t layer);
  void mix_experts(std::size_t layer);
  void add_shared_expert(std::size_t layer);  // to what the others make
  void synchronise_rows(Whole whole);

  DecodeSharding sharding_;
  DecodeStageTensors tensors_;
  DecodeAttention attention_;
  DeltaLayer delta_;
  std::vector<DecodeLayer> layers_, before_;  // the layer in work and the one before it, by rank
};

}  // namespace tahoma::workloads
