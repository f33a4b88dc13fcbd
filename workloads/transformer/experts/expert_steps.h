// SPDX-License-Identifier: Apache-2.0
// The steps of a mixture of experts on the ranks of a replica: the layout of the rows of each microbatch,
// layer and slice, its tensors, and the control values that its kernels follow. The host fills them and
// checks what the machine has routed.
#pragma once

#include "runtime/golden/golden.h"
#include "workloads/transformer/experts/expert_layout.h"
#include "workloads/transformer/experts/expert_turn.h"
#include "workloads/transformer/layer/layer_weights.h"

namespace tahoma::workloads {

struct ExpertStep {
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
  ExpertTurn turn;
  std::vector<runtime::Part> rows_of_cores;  // by rank and physical core
  ExpertLayout layout;
  std::vector<OfRank> ranks;

  const runtime::Part& own(std::size_t rank, std::size_t physical_core) const {
    return rows_of_cores[rank * ranks.front().core_tensors.size() + physical_core];
  }
};

class ExpertSteps {
 public:
  // Rows of the replica that a physical core of a rank has in a slice.
  using Own = std::function<runtime::Part(std::size_t slice, std::size_t rank, std::size_t physical_core)>;
  // The layers of a stage that have experts, by their numbers in the case, and how their rows are cut.
  struct Stage {
    std::vector<std::size_t> layers;
    std::size_t slices = 1;
    Own own;
  };
  ExpertSteps(Replica& replica, const TransformerParams& params, const ExpertRouting& routing,
              const ExpertCase& shape, const Stage& stage);

  const ExpertStep& allocate(const ExpertTurn& turn, const RankShare& share);
  // The control values of a physical core's kernels in a step: for each slot the rows that are taken, then
  // the positions to which all of them return.
  std::vector<std::uint64_t> numbers_of(const ExpertStep& step, std::size_t rank,
                                        std::size_t physical_core) const;
  // The control values of a physical core's kernels of all steps.
  const Matrix& numbers(std::size_t rank, std::size_t physical_core) const {
    return numbers_[rank * replica_.physical_cores() + physical_core];
  }

  void fill_control(runtime::Machine& machine) const;
  void fill_bias(runtime::Machine& machine, const HostCase& values) const;
  // Checks that the machine has routed as prescribed.
  void check(runtime::Machine& machine, runtime::GoldenResult& golden) const;

 private:
  // Bytes of a row on the ranks.
  std::uint64_t expert(const ExpertTurn& turn, std::uint64_t row, std::uint64_t k) const {
    const std::uint64_t microbatch = replica_.alike().front().number * params_.microbatches + turn.microbatch;
    return routing_.expert(layers_[turn.layer], microbatch * params_.rows() + row, k);
  }
  ExpertStep plan(const ExpertTurn& turn, const Own& own) const;
  void place_numbers();
  ExpertStep::CoreTensors allocate_core_tensors(const ExpertStep& step, std::size_t rank,
                                                std::size_t physical_core);

  Replica& replica_;
  const TransformerParams& params_;
  const ExpertRouting& routing_;
  ExpertCase shape_;
  std::vector<std::size_t> layers_;
  std::size_t slices_;
  std::vector<ExpertStep> steps_;  // by microbatch, layer and slice
  std::vector<Matrix> numbers_;    // by rank and physical core
};

}  // namespace tahoma::workloads
