// SPDX-License-Identifier: Apache-2.0
// Mixtures of experts on ranks: their golden reference on one core, over blocks of one and of several ranks,
// balanced and skewed, in both phases; planted errors; refused cases; work and footprint in closed form.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cstring>

#include "model/base/error.h"
#include "runtime/host/npy.h"
#include "tests/support/program/transformer_run.h"
#include "tests/support/temp_dir.h"
#include "workloads/training/case/training_params.h"
#include "workloads/transformer/experts/expert_routing.h"
#include "workloads/transformer/layer/layer_definition.h"
#include "workloads/transformer/model_footprint.h"

using namespace tahoma;
using tests::Settings, tests::kTiny, tests::with, tests::chips, tests::check_layers, tests::params_with,
    tests::verdict, tests::zeroed;

namespace {

const Settings kEight{{"model.experts", "8"}, {"model.ffn", "128"}};
const Settings kPrefill{{"tokens", "64"}, {"parallel.tensor", "4"}};

Settings mixture(const Settings& more) { return with(kEight, more); }

std::string refusal_of_experts(const Settings& settings) {
  return tests::refusal(chips(1, 1), with(kTiny, settings));
}

}  // namespace

TEST_CASE("experts: a prefill and a decoding step on one core with all experts", "[transformer]") {
  check_layers(chips(1, 1), mixture({{"tokens", "40"}}));
  check_layers(chips(1, 1), mixture({{"phase", "decode"}, {"batch", "5"}, {"context", "20"}}));
}

TEST_CASE("experts: a prefill on one rank of two cores, which share the experts", "[transformer]") {
  check_layers(chips(1, 2), mixture({{"tokens", "40"}, {"routing", "skewed"}}));
}

TEST_CASE("experts: a prefill over blocks of one rank, two layers, balanced", "[transformer]") {
  check_layers(chips(1, 1), mixture({{"tokens", "64"},
                                     {"layers", "2"},
                                     {"model.layers", "2"},
                                     {"parallel.tensor", "4"},
                                     {"parallel.expert", "4"}}));
}

TEST_CASE("experts: a prefill over blocks of one rank of two cores, skewed, in slices", "[transformer]") {
  check_layers(chips(1, 2), mixture({{"tokens", "128"},
                                     {"overlap", "2"},
                                     {"parallel.tensor", "4"},
                                     {"parallel.expert", "4"},
                                     {"routing", "skewed"}}));
}

TEST_CASE("experts: a prefill over blocks of two ranks of two cores, skewed", "[transformer]") {
  check_layers(chips(1, 2), mixture(with(kPrefill, {{"parallel.expert", "2"}, {"routing", "skewed"}})));
}

TEST_CASE("experts: a prefill of one block, whose ranks share all experts", "[transformer]") {
  check_layers(chips(1, 1), mixture(with(kPrefill, {{"routing", "skewed"}})));
}

TEST_CASE("experts: two chips, replicas with different routings, experts without tokens", "[transformer]") {
  check_layers(chips(2, 1), mixture({{"tokens", "64"},
                                     {"batch", "2"},
                                     {"parallel.tensor", "8"},
                                     {"parallel.data", "2"},
                                     {"parallel.expert", "4"},
                                     {"routing", "skewed"},
                                     {"skew", "10"}}));
}

TEST_CASE("experts: a decoding step over blocks of two ranks, fewer sequences than cores", "[transformer]") {
  check_layers(chips(1, 2), mixture({{"phase", "decode"},
                                     {"batch", "1"},
                                     {"context", "30"},
                                     {"parallel.tensor", "4"},
                                     {"parallel.expert", "2"}}));
}

TEST_CASE("experts: a decoding step over blocks of one rank, one expert per token", "[transformer]") {
  check_layers(chips(1, 1), mixture({{"phase", "decode"},
                                     {"batch", "7"},
                                     {"context", "30"},
                                     {"model.experts_per_token", "1"},
                                     {"parallel.tensor", "4"},
                                     {"parallel.expert", "4"},
                                     {"routing", "skewed"}}));
}

TEST_CASE("experts: two stages, two microbatches, skewed, in both phases", "[transformer]") {
  const Settings stages = mixture({{"layers", "2"},
                                   {"model.layers", "2"},
                                   {"batch", "4"},
                                   {"microbatches", "2"},
                                   {"parallel.tensor", "2"},
                                   {"parallel.expert", "2"},
                                   {"parallel.pipeline", "2"},
                                   {"routing", "skewed"}});
  check_layers(chips(1, 1), with(stages, {{"tokens", "32"}}));
  check_layers(chips(1, 1), with(stages, {{"phase", "decode"}, {"context", "20"}}));
}

TEST_CASE("experts: a decoding step of two groups that share the caches", "[transformer]") {
  check_layers(chips(1, 1), mixture({{"phase", "decode"},
                                     {"batch", "4"},
                                     {"context", "32"},
                                     {"parallel.tensor", "2"},
                                     {"parallel.expert", "2"},
                                     {"parallel.sequence", "2"}}));
}

TEST_CASE("experts: wrong gates, a wrong expert and a wrong choice are found", "[transformer]") {
  const Settings blocks = mixture(with(kPrefill, {{"parallel.expert", "2"}}));
  CHECK(verdict(blocks, {}) == "passed");
  for (const char* name : {"router_weights", "expert_down_weights", "routing_bias", "expert_rows"})
    CHECK(verdict(blocks, zeroed(name)).find("golden") != std::string::npos);
}

TEST_CASE("experts: logits beyond the range of the prescribed choice are found", "[transformer]") {
  // A router a hundred times as large: its choice differs from the prescribed one.
  const auto louder = [](runtime::Machine& machine) {
    for (const runtime::Tensor& tensor : machine.tensors())
      if (tensor.name == "router_weights")
        for (std::uint64_t i = 0; i < tensor.elements(); ++i) {
          std::byte* at = machine.bytes(tensor) + 2 * i;
          isa::store_from_fp32(at, tensor.dtype, 100 * isa::load_as_fp32(at, tensor.dtype));
        }
  };
  CHECK(verdict(mixture(kPrefill), louder).find("golden") != std::string::npos);
}

TEST_CASE("experts: experts that cannot be sharded or chosen are refused", "[transformer]") {
  CHECK(refusal_of_experts(mixture(with(kPrefill, {{"parallel.expert", "4"}}))) == "accepted");
  CHECK(refusal_of_experts(mixture(with(kPrefill, {{"parallel.expert", "3"}}))) ==
        "E-MDL-020 workload.parallel.expert");
  CHECK(refusal_of_experts(mixture(with(kPrefill, {{"parallel.sequence", "2"}}))) ==
        "E-MDL-020 workload.parallel.sequence");
  CHECK(refusal_of_experts(with(kPrefill, {{"parallel.expert", "2"}})) ==
        "E-MDL-020 workload.parallel.expert");
  CHECK(refusal_of_experts(with(kPrefill, {{"model.experts", "2"}, {"parallel.expert", "4"}})) ==
        "E-MDL-020 workload.parallel.expert");
  CHECK(refusal_of_experts({{"model.experts", "2"}, {"model.experts_per_token", "3"}}) ==
        "E-MDL-021 workload.model.experts_per_token");
  workloads::TrainingParams training;
  base::ParamTree tree("workload");
  training.declare(tree);
  tree.set("workload.model.experts", "4", "test");
  CHECK_THROWS_AS(training.check(chips(1, 1)), base::UserError);
  try {
    training.check(chips(1, 1));
  } catch (const base::UserError& e) {
    CHECK(e.code == "E-MDL-023");
  }
}

TEST_CASE("experts: a routing that names an expert twice, or a missing one, is refused", "[transformer]") {
  const tests::TempDir folder;
  const auto refused = [&](std::vector<std::int32_t> choices) {
    runtime::NpyArray array{"<i4", {1, 2, 2}, std::vector<std::byte>(16)};
    std::memcpy(array.bytes.data(), choices.data(), 16);
    runtime::write_npy(folder / "routing.npy", array);
    try {
      const workloads::ExpertRouting routing(
          params_with(mixture({{"tokens", "2"}, {"inputs.routing", folder / "routing.npy"}})), 1);
      return "accepted " + std::to_string(routing.expert(0, 1, 0)) + std::to_string(routing.most_tokens());
    } catch (const base::UserError& e) {
      return e.code;
    }
  };
  CHECK(refused({0, 1, 7, 1}) == "accepted 72");
  CHECK(refused({0, 1, 1, 1}) == "E-MDL-022");
  CHECK(refused({0, 1, 8, 1}) == "E-MDL-022");
  CHECK(refused({0, -1, 2, 1}) == "E-MDL-022");
}

TEST_CASE("experts: useful work counts the chosen ones, the footprint counts all", "[transformer]") {
  const workloads::TransformerParams dense =
                                         params_with(with(kTiny, {{"tokens", "64"}, {"model.ffn", "128"}})),
                                     mixed = params_with(with(kTiny, mixture({{"tokens", "64"}})));
  const double expert = 3.0 * 256 * 128, router = 256.0 * 8;
  CHECK(mixed.useful_flops() - dense.useful_flops() == Approx(2 * 64 * (expert + router)));
  const workloads::TransformerParams sharded =
      params_with(with(kTiny, mixture(with(kPrefill, {{"parallel.expert", "2"}}))));
  const auto weights = [](const workloads::TransformerParams& params) {
    return workloads::footprint_of(params, chips(1, 1)).weights;
  };
  CHECK(weights(mixed) - weights(dense) == Approx(2 * (7 * expert + router)));
  // Four ranks of a chip have all experts once, and the router four times.
  const workloads::TransformerParams spread =
      params_with(with(kTiny, with(kPrefill, {{"model.ffn", "128"}})));
  CHECK(weights(sharded) - weights(spread) == Approx(2 * (7 * expert + 4 * router)));
}

TEST_CASE("experts: the definition distinguishes other gates and other experts", "[transformer]") {
  const workloads::TransformerParams params = params_with(with(kTiny, mixture({{"tokens", "16"}})));
  const workloads::HostCase values = workloads::host_case(params, 1);
  const auto made = [&](const workloads::HostWeights& weights, std::uint64_t shift) {
    workloads::Noisy stream = workloads::Noisy::exact(workloads::matrix_of(values.x));
    workloads::apply_layer(params.model, weights, {1, 1}, {}, stream,
                           [&](std::uint64_t row, std::uint64_t k) { return (2 * row + k + shift) % 8; });
    return stream;
  };
  const workloads::Noisy right = made(values.weights[0], 0);
  const auto passes = [&](const workloads::Noisy& got) {
    runtime::HostTensor out = runtime::make_tensor("out", isa::DType::kBf16, {16, 256});
    for (std::uint64_t i = 0; i < out.elements(); ++i)
      isa::store_from_fp32(out.values.data() + 2 * i, out.dtype, static_cast<float>(got.value.data()[i]));
    return runtime::check_rows(
               out, [&](std::uint64_t row) { return workloads::wanted_row(right, row); }, 0x1p-8, "test",
               [](std::uint64_t, std::uint64_t) { return std::string("test"); })
        .passed();
  };
  CHECK(passes(right));
  CHECK_FALSE(passes(made(values.weights[0], 1)));
  workloads::HostWeights even = values.weights[0];
  std::fill(even.router.values.begin(), even.router.values.end(), std::byte{0});
  CHECK_FALSE(passes(made(even, 0)));
}
