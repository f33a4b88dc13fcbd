// SPDX-License-Identifier: Apache-2.0
// The layers of a decoding step on the ranks of a replica: one new token of each sequence against a cache of
// those before it. Every half of a rank has the whole residual stream, which is small; the ranks' partial
// sums are added up by an all_reduce, of which each half's cores do a part of the rows. Sequences are dealt
// to the halves, and to the ranks that have the same heads, with their caches: k [kv heads, sequences,
// head_dim, capacity], v [kv heads, sequences, capacity, head_dim].
#pragma once

#include "workloads/transformer/experts.h"
#include "workloads/transformer/phase_programs.h"
#include "workloads/transformer/products.h"

namespace tahoma::workloads {

class DecodeStep final : public PhasePrograms {
 public:
  // `routing`: of a mixture of experts.
  DecodeStep(Replica& replica, const TransformerParams& params, const ExpertRouting* routing);

  void emit() override;
  void fill(runtime::Machine& machine, const HostCase& values) const override;
  void gather(runtime::Machine& machine, runtime::HostTensor& out) const override;
  const Experts* experts() const override { return experts_.get(); }

 private:
  struct Cache {  // of the sequences of one half
    Matrix k, v;
  };
  struct Rank {
    std::vector<LayerWeights> weights;       // by layer
    std::vector<std::vector<Cache>> caches;  // by layer and half
    Matrix table;
    std::vector<Matrix> in, out;  // by half: the whole stream
  };
  struct Layer : LayerTensors {  // on one rank
    Matrix sum, sum_mlp;
    struct Half {
      Matrix stream, normed, middle, normed_mlp;
    };
    std::vector<Half> halves;
  };
  using Whole = Matrix Layer::*;

  LayerPart part(std::size_t rank, std::size_t half) {
    return {replica_.kernel(rank, half), replica_.machine(), params_.model};
  }
  std::uint64_t rows() const { return params_.rows(); }
  std::uint64_t capacity() const { return params_.context + 1; }
  runtime::Part sequences_of(std::size_t rank, std::size_t half) const;
  runtime::Part reduced_rows(std::size_t half) const;  // of an all_reduce
  Products products(std::size_t layer) const;
  runtime::HbmView all_rows(const Matrix& matrix, std::size_t half) const;
  Cache allocate_cache(std::size_t rank, std::size_t half);
  Layer allocate(std::size_t rank, std::size_t layer);

  void emit_layer(std::size_t layer);
  void make_heads(std::size_t layer);
  void append(std::size_t rank, std::size_t half, const Cache& cache);
  void attend(std::size_t layer);
  void reduce(const char* region, Whole partial, Whole sum);
  void feed_forward(std::size_t layer);
  void mix_experts(std::size_t layer);
  void meet_rows(Whole whole);
  void fill_cache(runtime::Machine& machine, std::size_t replica, std::size_t rank, std::size_t half,
                  std::size_t layer, const HostCache& values) const;

  Replica& replica_;
  const TransformerParams& params_;
  RankShare share_;
  std::vector<Rank> ranks_;
  std::unique_ptr<Experts> experts_;
  std::vector<Layer> layers_, before_;
};

}  // namespace tahoma::workloads
