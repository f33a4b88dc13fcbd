// SPDX-License-Identifier: Apache-2.0
// The layers of a decoding step on the ranks of a replica: one new token of each sequence with a cache of the
// earlier ones. Every physical core of a rank has the whole residual stream, which is small. An all_reduce
// adds up the ranks' partial sums; each physical core does a part of the rows. Sequences are sharded over the
// physical cores, and over the ranks that have the same heads, with their caches: k [kv heads, sequences,
// head_dim, capacity], v [kv heads, sequences, capacity, head_dim].
//
// Groups that share sequences have equal parts of every sequence's cache and compute everything except
// attention identically. Each attends to its own tokens, and all of them merge the parts.
//
// Between stages of a pipeline, a rank hands over its run of its physical core's rows of the residual stream
// (runs() below); an all_gather of the next stage collects them.
#pragma once

#include "workloads/transformer/experts/experts.h"
#include "workloads/transformer/layer/products.h"
#include "workloads/transformer/partition/phase_programs.h"

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
  std::vector<Share> shares() const override;
  void fill(runtime::Machine& machine, const HostCase& values) const override;
  void gather(runtime::Machine& machine, runtime::HostTensor& out) const override;
  const Experts* experts() const override { return experts_.get(); }

 private:
  struct Cache {  // of the sequences of one physical core
    Matrix k, v;
  };
  struct Rank {
    std::vector<LayerWeights> weights;                    // by layer
    std::vector<std::vector<std::vector<Cache>>> caches;  // by layer, microbatch and physical core
    Matrix table;
    // By microbatch and physical core: the whole stream, or a run to hand over.
    std::vector<std::vector<Matrix>> in, out;
    std::vector<std::vector<Matrix>> came;  // by microbatch and physical core: the run that was received
  };
  struct Layer : LayerTensors {  // on one rank
    Matrix sum, sum_mlp;
    struct CoreTensors {
      Matrix stream, normed, middle, normed_mlp;
      Matrix part, lse, parts, lses;  // attention of this group's tokens, and of those of all groups
    };
    std::vector<CoreTensors> core_tensors;
  };
  using Whole = Matrix Layer::*;

  LayerPart part(std::size_t rank, std::size_t physical_core) {
    return {replica_.kernel(rank, physical_core), replica_.machine(), params_.model};
  }
  std::uint64_t rows() const { return params_.rows(); }
  // Tokens of a sequence: those in the cache of this group, and the same with the new one, which the last
  // group has.
  std::uint64_t context() const { return params_.context / params_.parallel.sequence; }
  std::uint64_t capacity() const { return context() + (has_new() ? 1 : 0); }
  bool has_new() const { return station_.group + 1 == params_.parallel.sequence; }
  bool shares_sequences() const { return params_.parallel.sequence > 1; }
  runtime::Part sequences_of(std::size_t rank, std::size_t physical_core) const;
  runtime::Part reduced_rows(std::size_t physical_core) const {  // of an all_reduce
    return runtime::part_of(rows(), replica_.physical_cores(), physical_core);
  }
  // The run of a rank in a physical core's rows of the stream, flat, as [rows, columns] of this shape.
  struct Run {
    std::uint64_t row = 0, column = 0, rows = 0, columns = 0;
  };
  Run run_of(std::size_t rank, std::size_t physical_core) const;
  void place_stream(std::size_t rank);
  void put_together();
  Products products(std::size_t layer) const;
  runtime::HbmView all_rows(const Matrix& matrix, std::size_t physical_core) const {
    return rows_of(matrix.of(physical_core), 0, rows());
  }
  Cache allocate_cache(std::size_t rank, std::size_t physical_core);
  Layer allocate(std::size_t rank, std::size_t layer);

  void normalise(std::size_t layer);
  void make_heads(std::size_t layer);
  void allocate_parts(std::size_t rank, Layer& layer);
  runtime::HbmView lse_of(const Layer::CoreTensors& tensors, std::size_t number) const;
  void merge();
  void append(std::size_t rank, std::size_t physical_core, const Cache& cache);
  void attend(std::size_t layer);
  void project(std::size_t layer);
  void reduce(const char* region, Whole partial, Whole sum);
  void feed_forward(std::size_t layer);
  void mix_experts(std::size_t layer);
  void meet_rows(Whole whole);
  std::uint64_t first_row(std::size_t replica, std::size_t microbatch) const {
    return (replica_.alike()[replica].number * params_.microbatches + microbatch) * rows();
  }
  void fill_cache(runtime::Machine& machine, std::size_t replica, std::size_t microbatch, std::size_t rank,
                  std::size_t physical_core, std::size_t layer, const HostCache& values) const;

  RankShare share_;
  std::size_t microbatch_ = 0;
  std::vector<Rank> ranks_;
  std::unique_ptr<Experts> experts_;
  std::vector<Layer> layers_, before_;
};

}  // namespace tahoma::workloads
