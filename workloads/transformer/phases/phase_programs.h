// SPDX-License-Identifier: Apache-2.0
// The programs of one phase on the ranks of a group and of all groups with the same geometry, in the steps
// between which groups exchange data. For each microbatch: begin(); for each layer prepare(), shares() among
// the groups that have the same sequences, and complete(); then end().
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "workloads/transformer/experts/expert_turn.h"
#include "workloads/transformer/layer/layer_weights.h"
#include "workloads/transformer/layer/parts.h"
#include "workloads/transformer/partition/handover.h"
#include "workloads/transformer/partition/phase_exchange.h"

namespace tahoma::workloads {

class ExpertRouting;
class Experts;
class Logits;
class TokenEmbedding;

// The position of a group among those of its data replica.
struct Station {
  std::size_t stage = 0, group = 0;               // of the pipeline; of those that share sequences
  Handover *before = nullptr, *behind = nullptr;  // boundaries to its neighbours
};

class PhasePrograms {
 public:
  PhasePrograms(Replica& replica, const TransformerParams& params, const Station& station);
  virtual ~PhasePrograms();

  virtual void begin(std::size_t microbatch) = 0;
  virtual void prepare(std::size_t layer) = 0;   // of the stage
  virtual void complete(std::size_t layer) = 0;  // of the stage
  virtual void end(std::size_t microbatch) = 0;

  // The data that the groups that share sequences gather between prepare() and complete(): the contribution
  // of a physical core of a rank, and the destination of all contributions. It is equal on all of these
  // groups.
  struct Share {
    const char* what = "";
    std::size_t number = 0;  // index among the physical core's gathers of this kind
    std::size_t rank = 0, physical_core = 0;
    runtime::collective::End brings, gets;
  };
  virtual std::vector<Share> shares() const = 0;

  virtual void fill(runtime::Machine& machine, const HostCase& values) const = 0;
  // Collects the output of the groups of the last stage: the residual stream, [rows of the case, hidden], or
  // the logits, [sequences of the case, vocabulary].
  void gather(runtime::Machine& machine, runtime::HostTensor& out) const;
  // Collects the rotated keys and the values that this run computed, [layers, rows of the case, kv_heads
  // head_dim] each: what a cache gets.
  void gather_keys(runtime::Machine& machine, HostCache& out) const;
  // Collects what the rules of states leave for a later decoding step, as inputs of that step: states in k,
  // and the last tokens in front of the convolution in v.
  void gather_states(runtime::Machine& machine, HostCache& out) const;
  // Row numbers of tokens and of experts, which both modes need.
  void fill_control(runtime::Machine& machine, const runtime::HostTensor& ids) const;

  const Experts* experts() const { return experts_.get(); }  // none of a model that has none

  const std::vector<PhaseExchange>& exchanges() const { return exchanges_; }

  // The time at which a physical core of a rank completes the last rows of a microbatch: a mark of its
  // collective queue. For a pipeline.
  struct Done {
    std::size_t microbatch = 0, rank = 0, physical_core = 0;
    std::uint32_t mark = 0;
  };
  const std::vector<Done>& done() const { return done_; }
  const Replica& replica() const { return replica_; }
  const Station& station() const { return station_; }

 protected:
  virtual void gather_stream(runtime::Machine& machine, runtime::HostTensor& out) const = 0;
  // The row of the case of a row of a group's microbatch, the group by its number among those alike.
  virtual std::uint64_t case_row(std::size_t group, std::size_t microbatch, std::uint64_t row) const = 0;
  // On the first stage, with logits, each physical core gathers these rows in each slice.
  using EmbeddedRows = std::function<runtime::Part(std::size_t slice, std::size_t physical_core)>;
  void add_embedding(std::size_t slices, const EmbeddedRows& rows);
  void add_logits();  // of the last stage, with logits
  void fill_vocabulary(runtime::Machine& machine, const HostCase& values) const;
  // The heads of the microbatch in work on a layer of the stage, [rows, units head_dim], complete.
  void keep_heads(std::size_t layer, std::size_t rank, const Matrix& heads);

  // The states of the heads of a physical core behind a layer of the stage, and the tokens that its
  // convolution needs next: `row` of a sequence and of a token, the oldest first, from this column on.
  struct States {
    std::size_t layer, rank, physical_core;
    Matrix states, tokens;
    std::uint64_t column;
    std::function<std::uint64_t(std::uint64_t sequence, std::uint64_t token)> row;
    std::size_t microbatch = 0;
  };
  void keep_states(States states);

  // The end of a microbatch on a stage: hands over the rows of each physical core of a rank, possibly none.
  using RowsOf = std::function<runtime::HbmView(std::size_t rank, std::size_t physical_core)>;
  void finish(std::size_t microbatch, const RowsOf& rows);
  void keep(const std::string& region, std::size_t physical_core,
            runtime::collective::PlannedCollective planned) {
    keep({region, physical_core, {{std::move(planned), nullptr}}});
  }
  void keep(PhaseExchange exchange) { exchanges_.push_back(std::move(exchange)); }
  // In a mixture of experts, each physical core of a rank has these rows in each slice.
  using RowsOfSlice =
      std::function<runtime::Part(std::size_t slice, std::size_t rank, std::size_t physical_core)>;
  void add_experts(const ExpertRouting* routing, std::size_t slices, const RowsOfSlice& rows);
  LayerPart part(std::size_t rank, std::size_t physical_core) {
    return {replica_.kernel(rank, physical_core), replica_.machine(), params_.model};
  }
  // `layer` counts from the first layer of the stage.
  RankShare share(std::size_t layer) const {
    return share_.of_layer(params_.model, params_.first_layer + layer_number(layer));
  }
  bool has_experts(std::size_t layer) const { return share(layer).mixture; }
  std::size_t last_layer() const { return params_.layers_of_stage(station_.stage).count - 1; }
  bool feeds(std::size_t layer) const { return share(layer).feeds; }
  ExpertTurn turn(std::size_t layer, std::size_t slice) const;  // a step of its experts
  // The number of the stage's n-th layer in the case.
  std::size_t layer_number(std::size_t n) const { return params_.layers_of_stage(station_.stage).first + n; }

  Replica& replica_;
  const TransformerParams& params_;
  Station station_;
  RankShare share_;
  std::size_t microbatch_ = 0;  // in work
  std::unique_ptr<Experts> experts_;
  std::unique_ptr<TokenEmbedding> embedding_;  // none of a stage that gets the residual stream
  std::unique_ptr<Logits> logits_;             // none of a group without the last tokens of the last stage

 private:
  struct Heads {
    std::size_t microbatch, layer, rank;  // layer of the stage
    Matrix matrix;
  };
  std::vector<Heads> heads_;
  std::vector<States> states_;
  std::vector<PhaseExchange> exchanges_;
  std::vector<Done> done_;
};

// Chunks that are rows of a tensor, starting at a row.
inline runtime::collective::End end_of(const Matrix& matrix, std::size_t physical_core, std::uint64_t first,
                                       std::uint64_t rows, std::uint64_t places) {
  runtime::collective::End end;
  end.window = rows_of(matrix.of(physical_core), first, rows * places);
  end.address = matrix.tensor.address + end.window.offset;
  end.places = places;
  return end;
}

}  // namespace tahoma::workloads
