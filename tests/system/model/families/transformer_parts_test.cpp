// SPDX-License-Identifier: Apache-2.0
// Parts of layers that some families have beside those of Llama: their golden reference in both phases,
// planted errors, and refused combinations; and the padding of a prompt.
#include <catch2/catch.hpp>

#include "tests/support/program/transformer_run.h"
#include "workloads/transformer/layer/noisy.h"
#include "workloads/transformer/layer/rotary_table.h"

using namespace tahoma;
using tests::Settings, tests::kTiny, tests::with, tests::chips, tests::check_layers, tests::params_with,
    tests::verdict, tests::zeroed;

namespace {

const Settings kLogits{{"logits", "true"}, {"model.vocabulary", "300"}};
const Settings kDecode{{"phase", "decode"}, {"context", "70"}, {"batch", "4"}};
const Settings kBiases{{"model.qkv_bias", "true"}, {"model.o_bias", "true"}, {"model.mlp_bias", "true"}};
const Settings kPhi{{"model.norm", "layer_bias"},
                    {"model.parallel", "true"},
                    {"model.gated", "false"},
                    {"model.activation", "gelu_apprx_tanh"},
                    {"model.rope.features", "16"}};
const Settings kCohere{{"model.norm", "layer"}, {"model.parallel", "true"}};
const Settings kExaone{{"model.pre_norm", "false"},
                       {"model.post_norm", "true"},
                       {"model.qk_norm", "true"},
                       {"model.rope.global", "false"},
                       {"model.global_every", "2"},
                       {"model.window", "40"},
                       {"layers", "2"},
                       {"model.layers", "2"}};

void check_phases(const Settings& model) {
  check_layers(chips(1, 2), with(model, {{"tokens", "64"}, {"parallel.tensor", "2"}, {"overlap", "2"}}));
  check_layers(chips(1, 1), with(with(model, kLogits), {{"tokens", "40"}}));
  check_layers(chips(1, 2), with(with(model, kLogits), with(kDecode, {{"parallel.tensor", "2"}})));
}

}  // namespace

TEST_CASE("layer parts: layer norms with biases, parallel sublayers without a gate, all biases",
          "[transformer]") {
  check_phases(with(kPhi, kBiases));
}

TEST_CASE("layer parts: layer norms without biases, parallel sublayers", "[transformer]") {
  check_phases(kCohere);
}

TEST_CASE("layer parts: no norms in front of sublayers, global layers without rotary embedding",
          "[transformer]") {
  check_phases(kExaone);
}

TEST_CASE("layer parts: biases of a gated feed-forward part, gelu, relu", "[transformer]") {
  for (const char* activation : {"silu", "gelu"})
    check_layers(
        chips(1, 2),
        with(kBiases, {{"tokens", "64"}, {"parallel.tensor", "2"}, {"model.activation", activation}}));
  check_layers(chips(1, 1), {{"tokens", "40"}, {"model.gated", "false"}, {"model.activation", "relu"}});
}

TEST_CASE("layer parts: gates that are sigmoids with a factor", "[transformer]") {
  const Settings experts{
      {"model.experts", "8"},       {"model.ffn", "128"},     {"model.gate_function", "sigmoid"},
      {"model.gate_factor", "2.5"}, {"parallel.tensor", "2"}, {"parallel.expert", "2"}};
  check_layers(chips(1, 2), with(experts, {{"tokens", "64"}}));
  check_layers(chips(1, 1), with(experts, with(kDecode, {{"model.normalised_gates", "false"}})));
}

TEST_CASE("layer parts: sinks, windows, and experts with biases and limited gates", "[transformer]") {
  const Settings oss = with(kBiases, {{"model.sinks", "true"},
                                      {"model.activation", "gelu_apprx_sigmoid"},
                                      {"model.gate_limit", "1.2"},
                                      {"model.experts", "4"},
                                      {"model.ffn", "128"},
                                      {"model.window", "20"},
                                      {"model.global_every", "2"},
                                      {"layers", "2"},
                                      {"model.layers", "2"}});
  check_layers(chips(1, 2),
               with(oss, {{"tokens", "64"}, {"parallel.tensor", "2"}, {"parallel.expert", "2"}}));
  check_layers(chips(1, 1), with(oss, {{"tokens", "40"}, {"parallel.tensor", "2"}}));
  check_layers(chips(1, 2), with(oss, with(kDecode, {{"parallel.tensor", "2"}})));
  const Settings tokens = with(oss, {{"tokens", "40"}});
  CHECK(verdict(tokens, [](runtime::Machine&) {}) == "passed");
  for (const char* name : {"sinks", "expert_gate_up_bias", "expert_down_bias"})
    CHECK_THAT(verdict(tokens, zeroed(name)), Catch::Contains("golden"));
  const auto refusal = [&](const Settings& more) {
    return tests::refusal(chips(1, 2), with(with(kTiny, oss), more));
  };
  CHECK(refusal({{"tokens", "64"}, {"parallel.tensor", "4"}}) == "E-MDL-001 workload.parallel.tensor");
  CHECK(refusal({{"model.shared_ffn", "128"}}) == "E-MDL-001 workload.model.mlp_bias");
  CHECK(refusal({{"model.score_cap", "9"}}) == "E-MDL-001 workload.model.sinks");
}

TEST_CASE("layer parts: the logits of a padded prompt are those of its last token", "[transformer]") {
  const Settings padded = with(kLogits, {{"tokens", "64"}, {"padding", "3"}});
  check_layers(chips(1, 1), padded);
  check_layers(chips(1, 2), with(padded, {{"parallel.tensor", "4"}, {"padding", "37"}}));
  check_layers(chips(1, 2), with(padded, {{"parallel.tensor", "2"}, {"batch", "2"}, {"overlap", "2"}}));
  check_layers(chips(1, 1), with(padded, {{"parallel.tensor", "2"}, {"batch", "4"}, {"tokens", "16"}}));
  check_layers(chips(1, 1), with(padded, {{"tokens", "128"}, {"parallel.sequence", "2"}, {"padding", "30"}}));
  // Padding is no useful work.
  CHECK(params_with(with(kTiny, padded)).useful_flops() ==
        params_with(with(kTiny, with(kLogits, {{"tokens", "61"}}))).useful_flops());
}

TEST_CASE("layer parts: values that are missing are found", "[transformer]") {
  const Settings phi = with(with(kPhi, kBiases), {{"tokens", "40"}});
  CHECK(verdict(phi, [](runtime::Machine&) {}) == "passed");
  for (const char* name : {"attention_norm_bias", "o_bias", "gate_up_bias", "down_bias"})
    CHECK_THAT(verdict(phi, zeroed(name)), Catch::Contains("golden"));
  CHECK_THAT(verdict(with(phi, kLogits), zeroed("final_bias")), Catch::Contains("golden"));
}

TEST_CASE("layer parts: combinations that layers do not have are refused", "[transformer]") {
  using tests::tiny_refusal;
  const Settings experts{{"model.experts", "4"}};
  CHECK(tiny_refusal(with(experts, {{"model.parallel", "true"}})) == "E-MDL-001 workload.model.parallel");
  CHECK(tiny_refusal(with(experts, {{"model.gated", "false"}, {"model.gate_limit", "7"}})) ==
        "E-MDL-001 workload.model.gate_limit");
  CHECK(tiny_refusal({{"model.parallel", "true"}, {"model.post_norm", "true"}}) ==
        "E-MDL-001 workload.model.parallel");
  CHECK(tiny_refusal({{"model.rope.features", "15"}}) == "E-MDL-001 workload.model.rope.features");
  CHECK(tiny_refusal({{"model.rope.features", "34"}}) == "E-MDL-001 workload.model.rope.features");
  CHECK(tiny_refusal({{"model.rope.divisors", "1,2"}}) == "E-MDL-001 workload.model.rope.divisors");
  CHECK(tiny_refusal({{"model.gate_factor", "2"}}) == "E-MDL-001 workload.model.gate_factor");
  CHECK(tiny_refusal({{"tokens", "16"}, {"padding", "16"}}) == "E-MDL-001 workload.padding");
}

TEST_CASE("layer parts: listed divisors divide the frequencies", "[transformer]") {
  std::string text;
  for (int pair = 0; pair < 16; ++pair) text += (pair == 0 ? "" : ",") + std::to_string(pair + 1);
  const auto plain = params_with({{"model.theta", "1000"}, {"model.head_dim", "32"}}).model,
             divided = params_with(
                           {{"model.theta", "1000"}, {"model.head_dim", "32"}, {"model.rope.divisors", text}})
                           .model;
  for (std::uint64_t pair = 0; pair < 16; ++pair)
    CHECK(workloads::rotary_frequency(divided, pair, false) * static_cast<double>(pair + 1) ==
          Approx(workloads::rotary_frequency(plain, pair, false)));
}
