// SPDX-License-Identifier: Apache-2.0
// The feed-forward part of a layer as a mixture of experts, on the ranks of a replica. Each physical core of
// a rank routes its own rows. They are sent to the ranks of their experts, which apply their SwiGLUs; the
// results return and are added up with the gates:
//
//   out = sum over the token's experts e of gate_e (silu(x gate_e) * (x up_e)) down_e
//
// In a prefill every physical core has its own rows. They are sent across the blocks by an all_to_all with
// the counts of the routing, and within a block, whose ranks share the features of its experts, by an
// all_gather; they return by a reduce_scatter and an all_to_all. So a row crosses between blocks once, and
// the copies that a block needs are made inside it, mostly on one chip. Each slot (expert of a block) is a
// separate exchange: while one is computed, the next is transferred. In decoding all ranks have all rows: a
// rank takes those of its experts, and its results are its part of the sum of the layer's all_reduce.
//
// Routing: the router's product and choice are computed (workloads/moe/routing_kernel.h), but a bias
// prescribes the choice, because programs are built for it. Row numbers are control values, which the router
// of a real layer would write.
#pragma once

#include <optional>

#include "runtime/golden/golden.h"
#include "workloads/transformer/experts/expert_layout.h"
#include "workloads/transformer/experts/expert_teams.h"
#include "workloads/transformer/experts/expert_weights.h"
#include "workloads/transformer/partition/phase_programs.h"

namespace tahoma::workloads {

class Experts {
 public:
  // Rows of the replica that a physical core of a rank has in a slice.
  using Own = std::function<runtime::Part(std::size_t slice, std::size_t rank, std::size_t physical_core)>;
  using Keep = std::function<void(PhasePrograms::Exchange)>;
  using View = std::function<runtime::HbmView(std::size_t rank, std::size_t physical_core)>;
  // Experts of a stage whose first layer has this number in the case.
  Experts(Replica& replica, const TransformerParams& params, const ExpertRouting& routing,
          std::uint64_t first_layer, std::size_t slices, const Own& own, Keep keep);

  struct Turn {
    std::size_t microbatch = 0, layer = 0, slice = 0;  // layer of the stage
  };
  // normed: a physical core's rows, followed by up to 15 rows that are read without use; out: the results of
  // the same rows.
  void feed_forward(const Turn& turn, const View& normed, const View& out);

  void fill(runtime::Machine& machine, const HostCase& values) const;
  void fill_control(runtime::Machine& machine) const;
  // Checks that the machine's routing equals the prescribed one.
  void check(runtime::Machine& machine, runtime::GoldenResult& golden) const;

 private:
  struct CoreTensors {
    Matrix bias, logits, chosen, gates, places, counts;  // of its own rows
    Matrix sent, back;                                   // exchanged
    Matrix arrived, returned;                            // if ranks share experts
    std::uint64_t numbers = 0;                           // first of its control values
  };
  struct OfRank {
    Matrix rows, gate_up, hidden, partial;  // of all slots
    std::vector<CoreTensors> core_tensors;
  };
  struct Step {
    Turn turn;
    std::vector<runtime::Part> own;  // by rank and physical core
    ExpertLayout layout;
    std::vector<OfRank> ranks;
  };
  // Bytes of a row on the ranks.
  std::uint64_t expert(const Turn& turn, std::uint64_t row, std::uint64_t k) const {
    const std::uint64_t microbatch = replica_.alike().front().number * params_.microbatches + turn.microbatch;
    return routing_.expert(first_layer_ + turn.layer, microbatch * params_.rows() + row, k);
  }
  const runtime::Part& own(const Step& step, std::size_t rank, std::size_t physical_core) const {
    return step.own[rank * replica_.physical_cores() + physical_core];
  }
  Step plan(const Turn& turn, const Own& own) const;
  void place_numbers();
  std::vector<std::uint64_t> numbers_of(const Step& step, std::size_t rank, std::size_t physical_core) const;
  void allocate(Step& step);
  CoreTensors allocate_core_tensors(const Step& step, std::size_t rank, std::size_t physical_core);

  void route(const Step& step, const View& normed);
  void take(const Step& step, const View& normed, std::size_t slot);
  void dispatch(const Step& step, std::size_t slot);
  void meet_rows(const Step& step);
  void compute(const Step& step, std::size_t slot);
  void bring_back(const Step& step, std::size_t slot);
  void combine(const Step& step, const View& out);

  // A segment of a tensor, and the rows of each position in it that are sent or received.
  struct Travel {
    const Matrix* matrix;
    const Segment* segment;
    std::size_t first, places;  // of the segment; places 0: all of its rows as one
  };
  using Side = std::function<Travel(std::size_t rank)>;
  runtime::collective::End end_of(const Travel& travel, std::size_t physical_core) const;
  PhasePrograms::Party exchange(runtime::collective::Operation operation, std::size_t team,
                                std::vector<std::uint64_t> counts, const Side& from, const Side& to);
  PhasePrograms::Party across(const Step& step, std::size_t slot, bool out, std::size_t place,
                              std::size_t physical_core);
  PhasePrograms::Party within(const Step& step, std::size_t slot, bool out, std::size_t block,
                              std::size_t physical_core);
  void across(const Step& step, std::size_t slot, bool out);
  void within(const Step& step, std::size_t slot, bool out);

  Replica& replica_;
  const TransformerParams& params_;
  const ExpertRouting& routing_;
  RankShare share_;
  ExpertCase shape_;
  std::uint64_t first_layer_;
  std::size_t slices_;
  Keep keep_;
  std::optional<ExpertTeams> teams_;                 // if rows are exchanged
  std::vector<std::vector<ExpertWeights>> weights_;  // by layer of the stage, and rank
  std::vector<Step> steps_;                          // by microbatch, layer and slice
  std::vector<Matrix> numbers_;                      // by rank and physical core
};

}  // namespace tahoma::workloads
