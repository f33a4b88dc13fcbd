// SPDX-License-Identifier: Apache-2.0
// Layers whose weights are fp8: their golden reference, a planted error, the bytes that they save, and what is refused.
#include <catch2/catch.hpp>

#include "tests/support/program/transformer_run.h"
#include "workloads/training/training_params.h"

using namespace tahoma;
using tests::Settings, tests::kTiny, tests::with, tests::chips, tests::check_layers, tests::params_with,
    tests::in_child;

namespace {

Settings fp8(const std::string& type, const Settings& more = {}) {
  return with({{"model.weights", type}}, more);
}

const Settings kDecode{{"phase", "decode"}, {"context", "24"}, {"batch", "4"}};

}  // namespace

TEST_CASE("fp8 weights: a prefill and a decoding step agree with the definition, for each type",
          "[transformer]") {
  for (const char* type : {"fp8_e4m3", "fp8_e5m2", "fp8_e3m4"}) {
    check_layers(chips(1, 1), fp8(type, {{"tokens", "40"}}));
    check_layers(chips(1, 1), fp8(type, kDecode));
  }
}

TEST_CASE("fp8 weights: ranks of two cores, biases, and logits", "[transformer]") {
  const Settings more{
      {"logits", "true"}, {"model.vocabulary", "333"}, {"model.qkv_bias", "true"}, {"parallel.tensor", "2"},
      {"layers", "2"},    {"model.layers", "2"}};
  check_layers(chips(1, 2), fp8("fp8_e4m3", with(more, {{"tokens", "64"}})));
  check_layers(chips(1, 2), fp8("fp8_e4m3", with(more, kDecode)));
}

TEST_CASE("fp8 weights: a mixture of experts in both phases", "[transformer]") {
  const Settings experts{
      {"model.experts", "8"}, {"model.ffn", "128"}, {"parallel.tensor", "4"}, {"parallel.expert", "2"}};
  check_layers(chips(1, 1), fp8("fp8_e4m3", with(experts, {{"tokens", "64"}})));
  check_layers(chips(1, 1), fp8("fp8_e4m3", with(experts, kDecode)));
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
