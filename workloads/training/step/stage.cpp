// SPDX-License-Identifier: Apache-2.0
#include "workloads/training/step/stage.h"

#include <fmt/format.h>

namespace tahoma::workloads {

using runtime::HostTensor;

TrainingStage::TrainingStage(runtime::Machine& machine, const TrainingParams& params, std::size_t number)
    : number_(number),
      stages_(params.stages()),
      schedule_(params.schedule),
      params_(params.of_stage()),
      fleet_(machine, params, number),
      parameters_(fleet_, params_, last()),
      rows_(fleet_, params_),
      layers_(fleet_, params_, parameters_, rows_) {
  if (first()) layers_.declare_inputs();
  for (std::size_t m = 0; m < params_.microbatches() && last(); ++m)
    heads_.emplace_back(fleet_, params_, parameters_, rows_, m);
  updates_.emplace_back(fleet_, params_.optimizer, parameters_.trained_gains());
  if (last()) updates_.emplace_back(fleet_, params_.optimizer, parameters_.trained_head());
  for (std::size_t l = 0; l < layer_count(); ++l)
    for (Trained& trained : parameters_.trained_layer(l))
      updates_.emplace_back(fleet_, params_.optimizer, std::move(trained));
}

void TrainingStage::connect(TrainingStage& behind) {
  to_behind_ = std::make_unique<Boundary>(fleet_, behind.fleet_);
  from_behind_ = std::make_unique<Boundary>(behind.fleet_, fleet_);
  behind.from_before_ = to_behind_.get();
  behind.to_before_ = from_behind_.get();
  for (std::size_t m = 0; m < params_.microbatches(); ++m) {
    layers_.begin(m);
    behind.layers_.begin(m);
    to_behind_->expect([&](const Cell& c) { return behind.stream_rows(c, 0); });
    from_behind_->expect([&](const Cell& c) { return gradient_rows(c, layer_count()); });
  }
}

std::vector<runtime::MessageResult> TrainingStage::messages(
    const runtime::collective::Stopwatch& stopwatch) const {
  if (last()) return {};
  const auto named = [&](const char* what) {
    return fmt::format("{} behind stage {} of micro-batch", what, number_);
  };
  std::vector<runtime::MessageResult> all = to_behind_->messages(stopwatch, named("activations"));
  append(all, from_behind_->messages(stopwatch, named("gradients")));
  return all;
}

Boundary::OwnRows TrainingStage::stream_rows(const Cell& c, std::size_t layer) const {
  return {&layers_.stream_tensor(c, layer), layers_.stream(c, layer)};
}

Boundary::OwnRows TrainingStage::gradient_rows(const Cell& c, std::size_t layer) const {
  const TokenRows& rows = layers_.gradient(c, layer);
  return {rows.own.empty() ? &rows.all : &rows.own[c.physical_core], rows_.own(rows, c)};
}

void TrainingStage::emit() {
  const runtime::cluster::PipelineShape shape{static_cast<std::uint32_t>(stages_),
                                              static_cast<std::uint32_t>(params_.microbatches()), 1};
  for (const runtime::cluster::Pass& pass : passes_of(schedule_, shape, static_cast<std::uint32_t>(number_)))
    if (pass.kind == runtime::cluster::PassKind::kForward)
      forward(pass.microbatch);
    else
      backward(pass.microbatch);
  update();
}

void TrainingStage::forward(std::size_t microbatch) {
  layers_.begin(microbatch);
  if (!first()) from_before_->receive();
  for (std::size_t l = 0; l < layer_count(); ++l) layers_.forward(l);
  if (!last()) to_behind_->send([&](const Cell& c) { return stream_rows(c, layer_count()); });
}

void TrainingStage::backward(std::size_t microbatch) {
  const bool completes = microbatch + 1 == params_.microbatches();
  layers_.begin(microbatch);
  if (last())
    heads_[microbatch].forward_and_back(layers_);
  else
    from_behind_->receive();
  if (completes && first()) sum_head();
  for (std::size_t l = layer_count(); l-- > 0;) {
    layers_.backward(l);
    if (completes && first()) sum_layer(l);
  }
  if (first()) return;
  to_before_->send([&](const Cell& c) { return gradient_rows(c, 0); });
  if (!completes) return;
  sum_head();
  for (std::size_t l = layer_count(); l-- > 0;) sum_layer(l);
}

void TrainingStage::sum_head() {
  if (last()) updates_[kHead].sum();
}

void TrainingStage::sum_layer(std::size_t layer) {
  for (std::size_t p = 0; p < Parameters::kProducts; ++p) updates_[of_layer(layer, p)].sum();
}

void TrainingStage::update() {
  parameters_.add_gain_parts();
  updates_[kGains].sum();
  std::vector<std::size_t> order;
  if (last()) order.push_back(kHead);
  for (std::size_t l = layer_count(); l-- > 0;)
    for (std::size_t p = 0; p < Parameters::kProducts; ++p) order.push_back(of_layer(l, p));
  order.push_back(kGains);
  for (const std::size_t number : order) {
    updates_[number].step();
    updates_[number].spread();
  }
}

void TrainingStage::fill_labels(const HostTensor& labels) const {
  for (const LossHead& head : heads_) head.fill(labels);
}

void TrainingStage::fill(const TrainingCase& values) {
  fill_labels(values.labels);
  const auto first_layer =
      values.weights.layers.begin() + static_cast<std::ptrdiff_t>(number_ * layer_count());
  parameters_.fill({{first_layer, first_layer + static_cast<std::ptrdiff_t>(layer_count())},
                    values.weights.final_gain,
                    values.weights.head});
  layers_.fill_tables(values);
  if (first()) layers_.fill(values);
  for (Update& update : updates_) update.fill();
}

void TrainingStage::collect_losses(HostTensor& losses) const {
  for (const LossHead& head : heads_) head.collect(losses);
}

void TrainingStage::collect(ModelTensors& tensors, State state) const {
  const HostTensor gains = (updates_[kGains].*state)(0);
  const auto put = [&](std::size_t norm, HostTensor& gain) {
    runtime::copy_window(gains, {norm, 0, 1, gains.columns()}, gain.values.data());
  };
  if (last()) {
    tensors.head.values = (updates_[kHead].*state)(0).values;
    put(parameters_.final_norm(), tensors.final_gain);
  }
  for (std::size_t l = 0; l < layer_count(); ++l) {
    auto& layer = tensors.layers[number_ * layer_count() + l];
    put(parameters_.attention_norm(l), layer.attention_gain);
    put(parameters_.mlp_norm(l), layer.mlp_gain);
    for (std::size_t r = 0; r < fleet_.ranks(); ++r)
      for (std::size_t p = 0; p < Parameters::kProducts; ++p) {
        const HostTensor part = (updates_[of_layer(l, p)].*state)(r);
        for (const WeightBlock& block : blocks_of(params_.model(), parameters_.share(), r))
          if (block.part == Parameters::product(p))
            copy_block(part, block.place(), layer.*block.whole, block.window);
      }
  }
}

}  // namespace tahoma::workloads
