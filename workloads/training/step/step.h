// SPDX-License-Identifier: Apache-2.0
// A training step on all stages of a pipeline and all ranks: forward and backward passes of the
// micro-batches, loss, gradients summed over the replicas, optimizer, new weights on all ranks. The optimizer
// of a stage runs after all of its backward passes, starting with the last layer.
#pragma once

#include <memory>
#include <vector>

#include "workloads/training/step/stage.h"

namespace tahoma::workloads {

class TrainingStep {
 public:
  TrainingStep(runtime::Machine& machine, const TrainingParams& params);

  void emit();
  void load(runtime::collective::Stopwatch& stopwatch);
  // Call these after the programs are loaded; timing mode fills only labels.
  void fill_labels(const runtime::HostTensor& labels) const { stages_.back()->fill_labels(labels); }
  void fill(const TrainingCase& values);

  // After the run, in fp32.
  runtime::HostTensor losses() const;
  ModelTensors gradients(const ModelTensors& like) const;
  ModelTensors weights(const ModelTensors& like) const;

  std::size_t cells() const;
  // Calls body(Fleet::Ran) for each exchange of every stage.
  template <class Body>
  void for_exchanges(Body&& body) const {
    for (const auto& stage : stages_)
      for (const Fleet::Ran& ran : stage->fleet().ran()) body(ran);
  }

  std::vector<runtime::MessageResult> messages(const runtime::collective::Stopwatch& stopwatch) const;

 private:
  const TrainingParams& params_;
  std::vector<std::unique_ptr<TrainingStage>> stages_;
};

}  // namespace tahoma::workloads
