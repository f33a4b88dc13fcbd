// SPDX-License-Identifier: Apache-2.0
// The layers of a prefill on the ranks of a replica, sequence-parallel between their parts. A physical core
// of a rank has some rows of the residual stream and normalises them. An all_gather collects all rows before
// a product that needs them, and a reduce_scatter distributes the partial sums of the next product. For a
// mixture of experts, each physical core's rows are sent to their experts instead (experts.h).
//
// Rows are cut into `overlap` slices, a slice into one block for each physical core, and a block into equal
// runs, one for each rank. A slice's collective overlaps the computation of the next slice. Weights are
// streamed once for each slice.
//
// Groups that share sequences do all this on their own tokens (workloads/transformer/partition/tokens.h).
// Rotated keys, and values, are gathered over the groups in the order of their positions, and a run of
// queries attends to the keys up to its end.
#pragma once

#include "workloads/transformer/delta/delta_layer.h"
#include "workloads/transformer/experts/experts.h"
#include "workloads/transformer/prefill/prefill_attention.h"

namespace tahoma::workloads {

class Prefill final : public PhasePrograms {
 public:
  // `routing`: for a mixture of experts.
  Prefill(Replica& replica, const TransformerParams& params, const Station& station,
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
    return tensors_.case_row(group, microbatch, row);
  }
  using Whole = Matrix PrefillLayer::*;
  using Rows = Matrix PrefillLayer::CoreTensors::*;

  // A physical core's rows of a slice: in its own tensor, or, if nothing is exchanged, in the one of all
  // rows.
  runtime::HbmView own(const PrefillLayer& layer, std::size_t physical_core, std::size_t slice, Rows rows,
                       Whole whole) const;
  runtime::HbmView own(const PrefillLayer& layer, std::size_t physical_core, std::size_t slice,
                       Rows rows) const;
  // The rows that a layer leaves behind: the next one adds them up.
  struct Summands {
    runtime::HbmView stream, sublayer;
  };
  Summands left_by(const PrefillLayer& of_rank, std::size_t layer, std::size_t physical_core,
                   std::size_t slice) const;
  Products products(std::size_t layer, std::size_t slice) const;
  runtime::HbmView slice_of(std::size_t rank, std::size_t physical_core, std::size_t slice,
                            Whole whole) const;

  void embed(std::size_t slice);
  void emit_logits(std::size_t microbatch);
  void normalise(std::size_t layer, std::size_t slice);
  void normalise_mlp(std::size_t layer, std::size_t slice);
  void exchange(const char* region, runtime::collective::Operation operation, std::size_t slice, Rows rows,
                Whole whole);
  void synchronise_rows(std::size_t slice, Whole whole);  // a physical core has written its block of a slice
  void delta_rule(std::size_t layer);  // instead of attention, behind the products of all slices
  void make_heads(std::size_t layer, std::size_t slice);
  void project(std::size_t layer, std::size_t slice);
  // Normalises this physical core's rows in place, if the model has post norms.
  void post_norm(std::size_t layer, std::size_t slice, Matrix LayerWeights::*gain, Rows rows, Whole whole);
  void feed_forward(std::size_t layer, std::size_t slice);
  void common_feed_forward(std::size_t layer, std::size_t slice);  // of all tokens
  void mix_experts(std::size_t layer, std::size_t slice);
  void add_shared_expert(std::size_t layer, std::size_t slice);  // to what the others make

  RowSharding rows_;
  TokenSharding tokens_;
  PrefillStageTensors tensors_;
  PrefillAttention attention_;
  DeltaLayer delta_;
  std::vector<PrefillLayer> layers_, before_;  // the layer in work and the one before it, by rank
};

}  // namespace tahoma::workloads
