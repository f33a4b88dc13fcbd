// SPDX-License-Identifier: Apache-2.0
#include "workloads/training/training.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "runtime/collective/result/collective_measure.h"
#include "workloads/training/definition/training_definition.h"
#include "workloads/training/step/step.h"
#include "workloads/training/training_figures.h"
#include "workloads/transformer/exposure.h"

namespace tahoma::workloads {

using namespace runtime::collective;
using runtime::HostTensor, runtime::Machine;

namespace {

// Merges the layers' tensors of one name into one, [layers, rows, columns].
std::vector<runtime::NamedValues> stacked(const std::string& prefix, const ModelTensors& tensors) {
  std::vector<runtime::NamedValues> all;
  for_tensors(tensors, [&](const char* name, std::size_t layer, const HostTensor& tensor) {
    if (layer == 0) {
      const bool of_layer = std::string_view(name) != "head" && std::string_view(name) != "final_gain";
      std::vector<std::uint64_t> shape = tensor.shape;
      if (of_layer) shape.insert(shape.begin(), tensors.layers.size());
      all.push_back({prefix + name, tensor.dtype, std::move(shape), {}});
    }
    std::vector<std::byte>& values = all.back().values;
    values.insert(values.end(), tensor.values.begin(), tensor.values.end());
  });
  return all;
}

// Not a KernelCase, because a training step is many kernels and collectives.
class Training final : public runtime::Workload {
 public:
  void declare(base::ParamTree& t) override { params_.declare(t); }
  void check(const model::MachineParams& machine) const override {
    params_.check(machine);
    check_footprint(params_, machine);
  }

  void prepare(Machine& machine, std::uint64_t seed) override {
    seed_ = seed;
    step_.emplace(machine, params_);
    step_->emit();
    step_->load(stopwatch_);
    if (machine.functional())
      step_->fill(training_case(params_, seed_));
    else
      step_->fill_labels(labels_of(params_, seed_));
    machine.observe(&stopwatch_);
    machine.observe(&exposure_);
  }

  runtime::GoldenResult verify(Machine& /*machine*/) override {
    const TrainingCase values = training_case(params_, seed_);
    const WantedStep wanted = wanted_step(params_, values, roundings());
    runtime::GoldenResult result = check_losses(wanted, step_->losses());
    result.add(check_gradients(wanted, step_->gradients(values.weights)));
    result.add(check_weights(wanted, params_.optimizer, values.weights, step_->weights(values.weights)));
    return result;
  }

  std::vector<runtime::NamedValues> outputs(Machine& /*machine*/) override {
    const TrainingCase values = training_case(params_, seed_);
    HostTensor loss = step_->losses();
    std::vector<runtime::NamedValues> all{{"loss", loss.dtype, loss.shape, std::move(loss.values)}};
    for (auto& one : stacked("gradient_", step_->gradients(values.weights))) all.push_back(std::move(one));
    for (auto& one : stacked("new_", step_->weights(values.weights))) all.push_back(std::move(one));
    return all;
  }

  std::vector<runtime::CollectiveResult> collectives(Machine& machine, const base::RunMeasurement&) override {
    std::vector<runtime::CollectiveResult> results;
    Estimates estimates(machine.params());
    step_->for_exchanges([&](const Fleet::Ran& ran) {
      std::vector<runtime::RankTimes> ranks;
      for (const auto& spans : ran.spans) ranks.push_back(times_of(stopwatch_, spans));
      runtime::CollectiveResult& result =
          results.emplace_back(measured(estimates, ran.group, ran.planned,
                                        ran.what.elements * isa::size_of(ran.what.dtype), std::move(ranks)));
      result.name = ran.what.region;
      if (ran.planned.spec.problem.reduces()) result.combiner = "sum";
      result.why = name_of(params_.forward.algorithm);
      result.group = fmt::format("{} groups of {} cores at once", ran.groups, ran.group.ranks());
    });
    return results;
  }

  std::vector<runtime::MessageResult> messages(Machine& /*machine*/) override {
    return step_->messages(stopwatch_);
  }

  std::vector<runtime::WorkloadFigure> figures(Machine& machine, const base::RunMeasurement& run) override {
    step_->for_exchanges([&](const Fleet::Ran& ran) {
      for (const auto& spans : ran.spans)
        for (const Stopwatch::Span& span : spans)
          exposure_.collective(span.core, stopwatch_.begin(span), stopwatch_.end(span));
    });
    std::vector<runtime::WorkloadFigure> all =
        figures_of(params_, machine.params(), run, exposure_.exposed());
    if (machine.functional()) all.insert(all.begin(), mean_loss());
    return all;
  }

  double useful_flops() const override { return params_.useful_flops(); }
  isa::DType compute_dtype() const override { return TransformerParams::kDType; }
  std::uint32_t cores_used() const override { return static_cast<std::uint32_t>(step_->cells()); }
  std::string describe() const override { return params_.describe(); }

 private:
  runtime::WorkloadFigure mean_loss() const {
    const HostTensor losses = step_->losses();
    double sum = 0;
    for (std::uint64_t r = 0; r < losses.rows(); ++r) sum += static_cast<double>(losses.at(r, 0));
    const double mean = sum / static_cast<double>(losses.rows());
    return {"loss", mean, fmt::format("{:.6f}", mean),
            "cross-entropy in front of the step, mean over all tokens"};
  }

  // The error of a sum over the ranks of a replica, in addition to that of each partial sum.
  double roundings() const {
    std::uint32_t most = 0;
    step_->for_exchanges([&](const Fleet::Ran& ran) {
      if (ran.what.across == Across::kRanks && ran.what.dtype == TransformerParams::kDType &&
          ran.planned.spec.problem.reduces())
        most = std::max(most, ran.planned.roundings);
    });
    return most;
  }

  TrainingParams params_;
  std::uint64_t seed_ = 0;
  std::optional<TrainingStep> step_;
  Stopwatch stopwatch_;
  Exposure exposure_;
};

}  // namespace

std::unique_ptr<runtime::Workload> make_training() { return std::make_unique<Training>(); }

}  // namespace tahoma::workloads
