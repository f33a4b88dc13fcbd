// SPDX-License-Identifier: Apache-2.0
#include "workloads/training/step/step.h"

namespace tahoma::workloads {

using runtime::HostTensor;

TrainingStep::TrainingStep(runtime::Machine& machine, const TrainingParams& params) : params_(params) {
  for (std::size_t s = 0; s < params.stages(); ++s) {
    stages_.push_back(std::make_unique<TrainingStage>(machine, params, s));
    if (s > 0) stages_[s - 1]->connect(*stages_[s]);
  }
}

void TrainingStep::emit() {
  for (const auto& stage : stages_) stage->emit();
}

void TrainingStep::load(runtime::collective::Stopwatch& stopwatch) {
  for (const auto& stage : stages_) stage->fleet().load(stopwatch);
}

void TrainingStep::fill(const TrainingCase& values) {
  for (const auto& stage : stages_) stage->fill(values);
}

HostTensor TrainingStep::losses() const {
  HostTensor all = runtime::make_tensor("loss", isa::DType::kFp32, {params_.all_rows(), 1});
  stages_.back()->collect_losses(all);
  return all;
}

ModelTensors TrainingStep::gradients(const ModelTensors& like) const {
  ModelTensors tensors = zeros_like(like);
  for (const auto& stage : stages_) stage->collect(tensors, &Update::gradient);
  return tensors;
}

ModelTensors TrainingStep::weights(const ModelTensors& like) const {
  ModelTensors tensors = zeros_like(like);
  for (const auto& stage : stages_) stage->collect(tensors, &Update::master);
  return tensors;
}

std::vector<runtime::MessageResult> TrainingStep::messages(
    const runtime::collective::Stopwatch& stopwatch) const {
  std::vector<runtime::MessageResult> all;
  for (const auto& stage : stages_) append(all, stage->messages(stopwatch));
  return all;
}

std::size_t TrainingStep::cells() const {
  std::size_t count = 0;
  for (const auto& stage : stages_) count += stage->fleet().cells();
  return count;
}

}  // namespace tahoma::workloads
