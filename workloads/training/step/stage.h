// SPDX-License-Identifier: Apache-2.0
// One stage of a training step on all of its replicas: its layers, the head if it is the last one, and the
// optimizer of their weights. A step without a pipeline has one stage.
//
// The passes follow the order of the schedule. Gradients are summed over the replicas in the last
// micro-batch: on the first stage layer by layer beside the backward pass; on the others behind it, because
// collective queues are in order and the stage before waits for the gradients of the activations.
#pragma once

#include <deque>
#include <memory>

#include "workloads/training/step/boundary.h"
#include "workloads/training/step/loss_head.h"
#include "workloads/training/step/update.h"

namespace tahoma::workloads {

class TrainingStage {
 public:
  // `params` are those of the whole step.
  TrainingStage(runtime::Machine& machine, const TrainingParams& params, std::size_t number);
  // Connects the stage behind this one.
  void connect(TrainingStage& behind);

  void emit();
  // These are as in TrainingStep.
  void fill_labels(const runtime::HostTensor& labels) const;
  void fill(const TrainingCase& values);
  void collect_losses(runtime::HostTensor& losses) const;
  using State = runtime::HostTensor (Update::*)(std::size_t rank) const;
  // Puts the stage's tensors into those of the model.
  void collect(ModelTensors& tensors, State state) const;

  // Returns those between this stage and the next, after the run; none after the last stage.
  std::vector<runtime::MessageResult> messages(const runtime::collective::Stopwatch& stopwatch) const;

  Fleet& fleet() { return fleet_; }
  const Fleet& fleet() const { return fleet_; }

 private:
  static constexpr std::size_t kGains = 0, kHead = 1;  // in updates_
  bool first() const { return number_ == 0; }
  bool last() const { return number_ + 1 == stages_; }
  std::size_t layer_count() const { return params_.forward.layers; }
  std::size_t of_layer(std::size_t layer, std::size_t product) const {
    return (last() ? 2 : 1) + layer * Parameters::kProducts + product;
  }
  Boundary::OwnRows stream_rows(const Cell& c, std::size_t layer) const;
  Boundary::OwnRows gradient_rows(const Cell& c, std::size_t layer) const;
  void forward(std::size_t microbatch);
  void backward(std::size_t microbatch);
  void sum_head();
  void sum_layer(std::size_t layer);
  void update();

  std::size_t number_, stages_;
  runtime::cluster::Schedule schedule_;
  TrainingParams params_;  // of the stage
  Fleet fleet_;
  Parameters parameters_;
  RowExchange rows_;
  TrainingLayers layers_;
  std::deque<LossHead> heads_;   // by micro-batch, on the last stage
  std::vector<Update> updates_;  // gains, head, then layer by layer like Parameters::trained_layer()
  std::unique_ptr<Boundary> to_behind_, from_behind_;
  Boundary *to_before_ = nullptr, *from_before_ = nullptr;  // of the stage before
};

}  // namespace tahoma::workloads
