// SPDX-License-Identifier: Apache-2.0
// A training step on all ranks: forward, loss, backward, gradients summed over the replicas, optimizer, new
// weights on all ranks. The sums of a layer's gradients overlap with the backward passes of the layers before
// it. The optimizer runs after all backward passes, starting with the last layer.
#pragma once

#include "workloads/training/step/loss_head.h"
#include "workloads/training/step/update.h"

namespace tahoma::workloads {

class TrainingStep {
 public:
  TrainingStep(Fleet& fleet, const TrainingParams& params);

  void emit();
  // Call it after the programs are loaded; timing mode fills only labels.
  void fill_labels(const runtime::HostTensor& labels) const { head_.fill(labels); }
  void fill(const TrainingCase& values);

  // After the run, in fp32.
  runtime::HostTensor losses() const { return head_.losses(); }
  ModelTensors gradients(const ModelTensors& like) const;
  ModelTensors weights(const ModelTensors& like) const;

 private:
  static constexpr std::size_t kGains = 0, kHead = 1;  // in updates_
  static std::size_t of_layer(std::size_t layer, std::size_t product) {
    return 2 + layer * Parameters::kProducts + product;
  }
  using State = runtime::HostTensor (Update::*)(std::size_t rank) const;
  ModelTensors model_tensors(const ModelTensors& like, State state) const;

  Fleet& fleet_;
  const TrainingParams& params_;
  Parameters parameters_;
  RowExchange rows_;
  TrainingLayers layers_;
  LossHead head_;
  std::vector<Update> updates_;  // gains, head, then layer by layer like Parameters::trained_layer()
};

}  // namespace tahoma::workloads
