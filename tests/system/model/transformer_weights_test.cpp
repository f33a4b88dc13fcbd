// SPDX-License-Identifier: Apache-2.0
// Layers whose weights are fp8: their golden reference, a planted error, the bytes that they save, and what
// is refused.
#include <catch2/catch.hpp>
#include <random>

#include "tests/support/program/transformer_run.h"
#include "workloads/training/case/training_params.h"
#include "workloads/transformer/layer/noisy.h"

using namespace tahoma;
using tests::Settings, tests::kTiny, tests::with, tests::chips, tests::check_layers, tests::params_with,
    tests::in_child;

namespace {

Settings fp8(const std::string& type, const Settings& more = {}) {
  return with({{"model.weights", type}}, more);
}

const Settings kDecodingStep{{"phase", "decode"}, {"context", "24"}, {"batch", "4"}};

}  // namespace

TEST_CASE("fp8 weights: a prefill and a decoding step agree with the definition, for each type",
          "[transformer]") {
  for (const char* type : {"fp8_e4m3", "fp8_e5m2", "fp8_e3m4"}) {
    check_layers(chips(1, 1), fp8(type, {{"tokens", "40"}}));
    check_layers(chips(1, 1), fp8(type, kDecodingStep));
  }
}

TEST_CASE("fp8 weights: ranks of two cores, biases, and logits", "[transformer]") {
  const Settings more{
      {"logits", "true"}, {"model.vocabulary", "333"}, {"model.qkv_bias", "true"}, {"parallel.tensor", "2"},
      {"layers", "2"},    {"model.layers", "2"}};
  check_layers(chips(1, 2), fp8("fp8_e4m3", with(more, {{"tokens", "64"}})));
  check_layers(chips(1, 2), fp8("fp8_e4m3", with(more, kDecodingStep)));
}

TEST_CASE("fp8 weights: a mixture of experts in both phases", "[transformer]") {
  const Settings experts{
      {"model.experts", "8"}, {"model.ffn", "128"}, {"parallel.tensor", "4"}, {"parallel.expert", "2"}};
  check_layers(chips(1, 1), fp8("fp8_e4m3", with(experts, {{"tokens", "64"}})));
  check_layers(chips(1, 1), fp8("fp8_e4m3", with(experts, kDecodingStep)));
}

TEST_CASE("fp8 weights: values that are missing are found", "[transformer]") {
  const Settings tokens{{"tokens", "40"}};
  CHECK(tests::verdict(fp8("fp8_e4m3", tokens), [](runtime::Machine&) {}) == "passed");
  CHECK_THAT(tests::verdict(fp8("fp8_e4m3", tokens), tests::zeroed("down_weights")),
             Catch::Contains("golden"));
}

TEST_CASE("fp8 weights: a layer reads one byte for each weight instead of two", "[transformer]") {
  // Wide enough that weights are most of the traffic: 4 x 512 x 512 + 3 x 512 x 2048 weights.
  const Settings wide{{"model.hidden", "512"},  {"model.heads", "8"},  {"model.kv_heads", "8"},
                      {"model.head_dim", "64"}, {"model.ffn", "2048"}, {"phase", "decode"},
                      {"context", "24"},        {"batch", "4"}};
  const auto read = [&](const Settings& settings) {
    return std::stod(in_child([&] {
      std::uint64_t bytes = 0;
      for (const base::HbmMeasurement& stack :
           tests::run_layers(chips(1, 1), settings, model::Mode::kTiming).measured.hbm)
        bytes += stack.read_bytes;
      return std::to_string(bytes);
    }));
  };
  const double weights = 4.0 * 512 * 512 + 3.0 * 512 * 2048;
  CHECK(read(wide) - read(with(wide, fp8("fp8_e4m3"))) == Approx(weights).epsilon(1e-3));
}

TEST_CASE("fp8 activations: a prefill and a decoding step agree with the definition", "[transformer]") {
  for (const char* type : {"fp8_e4m3", "fp8_e5m2"}) {
    const Settings both = fp8(type, {{"model.activations", type}});
    check_layers(chips(1, 1), with(both, {{"tokens", "40"}}));
    check_layers(chips(1, 1), with(both, kDecodingStep));
  }
}

TEST_CASE("fp8 activations: ranks of two cores, stages, slices, and groups that share sequences",
          "[transformer]") {
  const Settings both = fp8("fp8_e4m3", {{"model.activations", "fp8_e4m3"}, {"parallel.tensor", "2"}});
  check_layers(chips(1, 2),
               with(both, {{"tokens", "128"}, {"overlap", "2"}, {"layers", "2"}, {"model.layers", "2"}}));
  check_layers(chips(1, 2),
               with(both, with(kDecodingStep, {{"logits", "true"}, {"model.vocabulary", "333"}})));
  check_layers(chips(1, 1), with(both, {{"tokens", "128"}, {"parallel.sequence", "2"}}));
  check_layers(chips(1, 1), with(both, with(kDecodingStep, {{"parallel.sequence", "2"}})));
}

TEST_CASE("fp8 activations: values that are missing are found", "[transformer]") {
  const Settings both = fp8("fp8_e4m3", {{"model.activations", "fp8_e4m3"}, {"tokens", "40"}});
  CHECK(tests::verdict(both, [](runtime::Machine&) {}) == "passed");
  for (const char* name : {"down_weights", "o_weights"})
    CHECK_THAT(tests::verdict(both, tests::zeroed(name)), Catch::Contains("golden"));
}

TEST_CASE("fp8 activations: products take half the time of the tensor engine", "[transformer]") {
  // Products only: 2048 tokens x 512 x (1024 + 3 x 2048) columns against scores of 64 tokens.
  const Settings wide{{"model.hidden", "512"},  {"model.heads", "8"},  {"model.kv_heads", "8"},
                      {"model.head_dim", "64"}, {"model.ffn", "2048"}, {"tokens", "64"},
                      {"batch", "32"}};
  const auto cycles = [&](const Settings& settings) {
    return std::stod(in_child([&] {
      const auto run = tests::run_layers(chips(1, 1), settings, model::Mode::kTiming);
      std::uint64_t busy = 0;
      for (const base::EngineMeasurement& engine : run.measured.engines)
        if (engine.kind == base::EngineKind::kTensor)
          busy +=
              static_cast<std::uint64_t>(engine.time[static_cast<std::size_t>(base::StallReason::kBusy)].fs);
      return std::to_string(busy);
    }));
  };
  const double bf16 = cycles(wide), fp8_weights = cycles(with(wide, fp8("fp8_e4m3"))),
               both = cycles(with(wide, fp8("fp8_e4m3", {{"model.activations", "fp8_e4m3"}})));
  CAPTURE(bf16, fp8_weights, both);
  CHECK(fp8_weights == Approx(bf16).epsilon(0.05));
  CHECK(both < 0.65 * bf16);
}

TEST_CASE("fp8 activations: what the array cannot multiply is refused", "[transformer]") {
  using tests::refusal;
  const model::MachineParams one = chips(1, 1);
  const auto both = [](const Settings& more) {
    return with(kTiny, with({{"model.weights", "fp8_e4m3"}, {"model.activations", "fp8_e4m3"}}, more));
  };
  CHECK(refusal(one, both({})) == "accepted");
  CHECK(refusal(one, both({{"model.weights", "bf16"}})) == "E-MDL-026 workload.model.activations");
  CHECK(refusal(one, both({{"model.weights", "fp8_e5m2"}})) == "E-MDL-026 workload.model.activations");
  CHECK(refusal(one, both({{"model.experts", "4"}})) == "E-MDL-026 workload.model.activations");
  CHECK(refusal(one, both({{"model.hidden", "288"}})) == "E-MDL-026 workload.model.hidden");
  CHECK(refusal(one, both({{"model.ffn", "513"}})) == "E-MDL-026 workload.model.ffn");
}

TEST_CASE("fp8 activations: rounded values are those of the type, and their variance is that of samples",
          "[transformer]") {
  for (const isa::DType type : {isa::DType::kFp8E4M3, isa::DType::kFp8E5M2}) {
    const auto samples = static_cast<Eigen::Index>(200'000);
    const double deviation = 1.0 / 512;
    workloads::Noisy x{workloads::Rows(1, samples),
                       workloads::Rows::Constant(1, samples, deviation * deviation)};
    workloads::Noisy moved = x;
    std::mt19937_64 random(7);
    std::normal_distribution<double> error(0, deviation);
    std::uniform_real_distribution<double> value(-3, 3);
    for (Eigen::Index i = 0; i < samples; ++i) {
      x.value(0, i) = value(random);
      moved.value(0, i) = x.value(0, i) + error(random);
    }
    const workloads::Noisy a = workloads::quantised(x, type), b = workloads::quantised(moved, type);
    for (Eigen::Index i = 0; i < 100; ++i) {
      std::byte bytes[1];
      isa::store_from_fp32(bytes, type, static_cast<float>(x.value(0, i)));
      CHECK(a.value(0, i) == static_cast<double>(isa::load_as_fp32(bytes, type)));
    }
    const double seen = (a.value - b.value).squaredNorm(), stated = a.variance.sum();
    CAPTURE(isa::name_of(type));
    CHECK(stated == Approx(seen).epsilon(0.1));
  }
}

TEST_CASE("fp8 weights: the footprint counts a byte for each, the router's excepted", "[transformer]") {
  const auto weights = [](const Settings& more) {
    return workloads::footprint_of(params_with(with(kTiny, more)), chips(1, 1)).weights;
  };
  // 256 x 256 (q, o), 2 x 256 x 64 (k, v) and 3 x 256 x 512.
  const double elements = 2.0 * 256 * 128 + 2 * 256.0 * 64 + 3 * 256.0 * 512;
  CHECK(weights({}) - weights(fp8("fp8_e4m3")) == Approx(elements));
  const Settings experts{{"model.experts", "8"}};
  CHECK(weights(experts) - weights(fp8("fp8_e4m3", experts)) ==
        Approx(2.0 * 256 * 128 + 2 * 256.0 * 64 + 8 * 3 * 256.0 * 512));
}
