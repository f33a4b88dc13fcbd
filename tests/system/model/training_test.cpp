// SPDX-License-Identifier: Apache-2.0
// Training steps: loss, gradients and new weights against their definition, on one core and over ranks and
// replicas; the definition against differences of the loss; refused cases.
#include "workloads/training/training.h"

#include <catch2/catch.hpp>
#include <cmath>

#include "tests/support/program/transformer_run.h"
#include "workloads/training/definition/training_definition.h"
#include "workloads/training/training_figures.h"

using namespace tahoma;
using tests::Settings, tests::with;

namespace {

const Settings kStep{{"model.hidden", "128"},
                     {"model.heads", "8"},
                     {"model.kv_heads", "4"},
                     {"model.head_dim", "32"},
                     {"model.ffn", "256"},
                     {"model.vocabulary", "256"},
                     {"model.layers", "2"},
                     {"layers", "2"},
                     {"tokens", "64"},
                     {"batch", "2"},
                     {"optimizer.epsilon", "1e-3"}};

void check_step(const model::MachineParams& params, const Settings& more) {
  tests::check_model(workloads::make_training, params, with(kStep, more));
}

workloads::TrainingParams params_of(const Settings& settings) {
  return tests::params_with<workloads::TrainingParams>(settings);
}

}  // namespace

TEST_CASE("training: a step on one core agrees with its definition", "[training]") {
  check_step(tests::chips(1, 1), {});
}

TEST_CASE("training: a step over ranks of one replica", "[training]") {
  check_step(tests::chips(1, 1), {{"parallel.tensor", "4"}});
}

TEST_CASE("training: a step over replicas of one rank", "[training]") {
  check_step(tests::chips(1, 1), {{"parallel.data", "4"}, {"batch", "4"}});
}

TEST_CASE("training: a step over two replicas of two ranks of two cores", "[training]") {
  check_step(tests::chips(1, 2), {{"parallel.tensor", "2"}, {"parallel.data", "2"}});
}

TEST_CASE("training: a step over chips with recomputed layers", "[training]") {
  check_step(tests::chips(2, 2),
             {{"parallel.tensor", "2"}, {"parallel.data", "4"}, {"batch", "4"}, {"recompute", "layer"}});
}

TEST_CASE("training: the definition's gradients are the slopes of its loss", "[training]") {
  const workloads::TrainingParams params = params_of(
      with(kStep, {{"model.hidden", "64"}, {"tokens", "16"}, {"batch", "1"}, {"model.head_dim", "16"}}));
  workloads::TrainingCase values = workloads::training_case(params, 3);
  const workloads::WantedStep wanted = workloads::wanted_step(params, values, 1);
  const auto loss = [&] { return workloads::wanted_step(params, values, 1).loss.mean(); };
  std::size_t number = 0;
  workloads::for_tensors(
      values.weights, [&](const char* name, std::size_t layer, runtime::HostTensor& tensor) {
        const std::uint64_t row = tensor.rows() / 2, column = tensor.columns() / 3;
        const auto slope = static_cast<double>(wanted.gradients[number++].value(
            static_cast<Eigen::Index>(row), static_cast<Eigen::Index>(column)));
        std::byte* at = tensor.values.data() + (row * tensor.columns() + column) * isa::size_of(tensor.dtype);
        const float before = tensor.at(row, column);
        const auto moved = [&](float by) {  // to a value of the dtype
          isa::store_from_fp32(at, tensor.dtype, before + by);
          return std::pair(static_cast<double>(tensor.at(row, column)), loss());
        };
        const float step = std::max(0x1p-7F, std::abs(before) * 0x1p-6F);
        const auto [low, at_low] = moved(-step);
        const auto [high, at_high] = moved(step);
        moved(0);
        INFO(name << " of layer " << layer);
        CHECK((at_high - at_low) / (high - low) == Approx(slope).epsilon(2e-3).margin(2e-6));
      });
}

TEST_CASE("training: wrong gradients and weights are distinguished", "[training]") {
  const workloads::TrainingParams params = params_of(kStep);
  const workloads::TrainingCase values = workloads::training_case(params, 1);
  const workloads::WantedStep wanted = workloads::wanted_step(params, values, 1);
  const workloads::AdamSettings& adam = params.optimizer;
  const auto made = [&](double of_gradient, double of_step) {
    std::pair<workloads::ModelTensors, workloads::ModelTensors> both{workloads::zeros_like(values.weights),
                                                                     workloads::zeros_like(values.weights)};
    std::vector<const runtime::HostTensor*> old;
    workloads::for_tensors(values.weights, [&](const char*, std::size_t, const runtime::HostTensor& tensor) {
      old.push_back(&tensor);
    });
    const auto fill = [&](workloads::ModelTensors& tensors, auto&& value) {
      std::size_t number = 0;
      workloads::for_tensors(tensors, [&](const char*, std::size_t, runtime::HostTensor& tensor) {
        auto* to = reinterpret_cast<float*>(tensor.values.data());
        const workloads::Rows& g = wanted.gradients[number].value;
        for (std::uint64_t i = 0; i < tensor.elements(); ++i)
          to[i] = static_cast<float>(value(
              g.data()[i], static_cast<double>(old[number]->at(i / tensor.columns(), i % tensor.columns()))));
        ++number;
      });
    };
    fill(both.first, [&](double g, double) { return of_gradient * g; });
    fill(both.second, [&](double g, double p) {
      return (1 - adam.rate * adam.decay) * p - of_step * adam.rate * g / (std::abs(g) + adam.epsilon);
    });
    return both;
  };
  const auto [gradients, weights] = made(1, 1);
  CHECK(workloads::check_gradients(wanted, gradients).passed());
  CHECK(workloads::check_weights(wanted, adam, values.weights, weights).passed());
  const auto [small, unmoved] = made(0.75, 0);
  CHECK_FALSE(workloads::check_gradients(wanted, small).passed());
  CHECK_FALSE(workloads::check_weights(wanted, adam, values.weights, unmoved).passed());
}

TEST_CASE("training: settings that cannot be sharded or do not fit are refused at their key", "[training]") {
  const model::MachineParams pairs = tests::chips(1, 2);
  CHECK(tests::refusal<workloads::TrainingParams>(pairs, with(kStep, {{"parallel.tensor", "2"}})) ==
        "accepted");
  CHECK(tests::refusal<workloads::TrainingParams>(pairs, with(kStep, {{"parallel.tensor", "4"}})) ==
        "E-MDL-030 workload.model.kv_heads");
  CHECK(tests::refusal<workloads::TrainingParams>(
            pairs, with(kStep, {{"parallel.sequence", "2"}, {"tokens", "128"}})) ==
        "E-MDL-030 workload.parallel");
  CHECK(tests::refusal<workloads::TrainingParams>(pairs, with(kStep, {{"model.vocabulary", "0"}})) ==
        "E-MDL-030 workload.model.vocabulary");
  CHECK(tests::refusal<workloads::TrainingParams>(pairs, with(kStep, {{"tokens", "8"}, {"batch", "16"}})) ==
        "E-MDL-030 workload.tokens");
  CHECK(tests::refusal<workloads::TrainingParams>(pairs, with(kStep, {{"tokens", "16"}, {"batch", "1"}})) ==
        "E-MDL-030 workload.batch");
  CHECK(tests::refusal<workloads::TrainingParams>(pairs,
                                                  with(kStep, {{"parallel.data", "3"}, {"batch", "3"}})) ==
        "E-MDL-031 workload.model.hidden");
  CHECK(
      tests::refusal<workloads::TrainingParams>(
          pairs, with(kStep, {{"model.hidden", "16384"}, {"model.ffn", "53248"}, {"model.layers", "126"}})) ==
      "E-MDL-032 workload.parallel");
}

TEST_CASE("training: the whole model's step scales this one by useful operations", "[training]") {
  const workloads::TrainingParams params = params_of(with(kStep, {{"model.layers", "7"}, {"layers", "2"}}));
  base::RunMeasurement run;
  run.elapsed = base::Duration{1'000'000'000};  // 1 us
  double model_step = 0;
  for (const runtime::WorkloadFigure& f : workloads::figures_of(params, tests::chips(1, 1), run, {}))
    if (f.key == "model_step_time_ns") model_step = f.value;
  // Multiply-accumulates of a token: those of a layer's products and half of its attention's pairs, and those
  // of the head.
  const double layer = 128.0 * 32 * (2 * 8 + 2 * 4) + 3.0 * 128 * 256 + 2 * 8 * 32 * 65 / 2.0,
               head = 128 * 256;
  CHECK(model_step == Approx(1e3 * (7 * layer + head) / (2 * layer + head)));
}
