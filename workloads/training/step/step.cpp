// SPDX-License-Identifier: Apache-2.0
#include "workloads/training/step/step.h"

namespace tahoma::workloads {

using runtime::HostTensor;

TrainingStep::TrainingStep(Fleet& fleet, const TrainingParams& params)
    : fleet_(fleet),
      params_(params),
      parameters_(fleet, params),
      rows_(fleet, params),
      layers_(fleet, params, parameters_, rows_),
      head_(fleet, params, parameters_, rows_) {
  updates_.emplace_back(fleet, params.optimizer, parameters_.trained_gains());
  updates_.emplace_back(fleet, params.optimizer, parameters_.trained_head());
  for (std::size_t l = 0; l < params.forward.layers; ++l)
    for (Trained& trained : parameters_.trained_layer(l))
      updates_.emplace_back(fleet, params.optimizer, std::move(trained));
}

void TrainingStep::emit() {
  for (std::size_t l = 0; l < params_.forward.layers; ++l) layers_.forward(l);
  head_.forward_and_back(layers_);
  updates_[kHead].sum();
  for (std::size_t l = params_.forward.layers; l-- > 0;) {
    layers_.backward(l);
    for (std::size_t p = 0; p < Parameters::kProducts; ++p) updates_[of_layer(l, p)].sum();
  }
  parameters_.add_gain_parts();
  updates_[kGains].sum();
  std::vector<std::size_t> order{kHead};
  for (std::size_t l = params_.forward.layers; l-- > 0;)
    for (std::size_t p = 0; p < Parameters::kProducts; ++p) order.push_back(of_layer(l, p));
  order.push_back(kGains);
  for (const std::size_t number : order) {
    updates_[number].step();
    updates_[number].spread();
  }
}

void TrainingStep::fill(const TrainingCase& values) {
  fill_labels(values.labels);
  parameters_.fill(values.weights);
  layers_.fill(values);
  for (Update& update : updates_) update.fill();
}

ModelTensors TrainingStep::model_tensors(const ModelTensors& like, State state) const {
  ModelTensors tensors = zeros_like(like);
  const HostTensor gains = (updates_[kGains].*state)(0);
  const auto put = [&](std::size_t norm, HostTensor& gain) {
    runtime::copy_window(gains, {norm, 0, 1, gains.columns()}, gain.values.data());
  };
  tensors.head.values = (updates_[kHead].*state)(0).values;
  put(parameters_.final_norm(), tensors.final_gain);
  for (std::size_t l = 0; l < tensors.layers.size(); ++l) {
    put(parameters_.attention_norm(l), tensors.layers[l].attention_gain);
    put(parameters_.mlp_norm(l), tensors.layers[l].mlp_gain);
    for (std::size_t r = 0; r < fleet_.ranks(); ++r)
      for (std::size_t p = 0; p < Parameters::kProducts; ++p) {
        const HostTensor part = (updates_[of_layer(l, p)].*state)(r);
        for (const WeightBlock& block : blocks_of(params_.model(), parameters_.share(), r))
          if (block.part == Parameters::product(p))
            copy_block(part, block.place(), tensors.layers[l].*block.whole, block.window);
      }
  }
  return tensors;
}

ModelTensors TrainingStep::gradients(const ModelTensors& like) const {
  return model_tensors(like, &Update::gradient);
}

ModelTensors TrainingStep::weights(const ModelTensors& like) const {
  return model_tensors(like, &Update::master);
}

}  // namespace tahoma::workloads
