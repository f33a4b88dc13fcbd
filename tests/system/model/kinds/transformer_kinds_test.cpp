// SPDX-License-Identifier: Apache-2.0
// Norms over all heads, learned positions, parallel sublayers with a norm each, biases of logits, gates of
// attention, and more experts of a token than one search finds: their reference in both phases, planted
// errors, and refused combinations.
#include <catch2/catch.hpp>

#include "tests/support/program/transformer_run.h"

using namespace tahoma;
using tests::Settings, tests::kTinyDecode, tests::tiny_refusal, tests::kTiny, tests::with, tests::chips,
    tests::check_layers, tests::params_with, tests::verdict, tests::zeroed;

namespace {

const Settings kLogits{{"logits", "true"}, {"model.vocabulary", "300"}};
const Settings kJoint{{"model.joint_qk_norm", "true"}};

void check_phases(const Settings& model) {
  check_layers(chips(1, 2), with(model, {{"tokens", "64"}, {"parallel.tensor", "2"}, {"overlap", "2"}}));
  check_layers(chips(1, 1), with(with(model, kLogits), {{"tokens", "40"}}));
  check_layers(chips(1, 2), with(with(model, kLogits), with(kTinyDecode, {{"parallel.tensor", "2"}})));
}

}  // namespace

TEST_CASE("layer parts: norms of queries and keys over the heads of all ranks", "[transformer]") {
  check_phases(kJoint);
  // More ranks than heads of keys, and than heads of queries.
  check_layers(chips(1, 1), with(kJoint, {{"tokens", "64"}, {"parallel.tensor", "4"}}));
  check_layers(chips(1, 1), with(kJoint, with(kTinyDecode, {{"parallel.tensor", "8"}, {"batch", "5"}})));
  const Settings settings = with(kJoint, {{"tokens", "40"}});
  for (const char* name : {"joint_q_norm", "joint_k_norm"})
    CHECK_THAT(verdict(settings, zeroed(name)), Catch::Contains("golden"));
  CHECK(tiny_refusal(with(kJoint, {{"model.qk_norm", "true"}})) == "E-MDL-001 workload.model.joint_qk_norm");
}

TEST_CASE("layer parts: learned positions instead of a rotary embedding, and a bias of the logits",
          "[transformer]") {
  const Settings gpt = with(kLogits, {{"model.positions", "96"},
                                      {"model.logit_bias", "true"},
                                      {"model.rope.local", "false"},
                                      {"model.norm", "layer_bias"}});
  check_layers(chips(1, 1), with(gpt, {{"tokens", "40"}, {"batch", "2"}}));
  check_layers(chips(1, 2), with(gpt, {{"tokens", "96"}, {"parallel.tensor", "4"}, {"padding", "3"}}));
  check_layers(chips(1, 2), with(gpt, with(kTinyDecode, {{"parallel.tensor", "2"}})));
  const Settings settings = with(gpt, {{"tokens", "40"}});
  for (const char* name : {"positions", "head_bias"})
    CHECK_THAT(verdict(settings, zeroed(name)), Catch::Contains("golden"));
  CHECK(tiny_refusal(with(gpt, {{"tokens", "97"}})) == "E-MDL-025 workload.model.positions");
}

TEST_CASE("layer parts: parallel sublayers with a norm each", "[transformer]") {
  const Settings neox{
      {"model.parallel", "true"}, {"model.parallel_norm", "true"}, {"model.norm", "layer_bias"}};
  check_phases(neox);
  CHECK_THAT(verdict(with(neox, {{"tokens", "40"}}), zeroed("mlp_norm_bias")), Catch::Contains("golden"));
  CHECK(tiny_refusal({{"model.parallel_norm", "true"}}) == "E-MDL-001 workload.model.parallel_norm");
}

TEST_CASE("layer parts: more experts of a token than the vector engine finds at once", "[transformer]") {
  const Settings many{{"model.experts", "24"},
                      {"model.experts_per_token", "10"},
                      {"model.ffn", "64"},
                      {"parallel.tensor", "2"},
                      {"parallel.expert", "2"}};
  check_layers(chips(1, 2), with(many, {{"tokens", "64"}}));
  check_layers(chips(1, 1), with(many, with(kTinyDecode, {{"model.normalised_gates", "false"}})));
  check_layers(
      chips(1, 1),
      with(many, with(kTinyDecode, {{"model.experts_per_token", "22"}, {"model.gate_function", "sigmoid"}})));
}

TEST_CASE("layer parts: outputs of attention with gates", "[transformer]") {
  const Settings gated{{"model.attention_gate", "true"}, {"model.qk_norm", "true"}};
  check_phases(gated);
  check_layers(chips(1, 1), with(gated, {{"tokens", "64"}, {"parallel.tensor", "8"}}));
}

namespace {

const Settings kDelta{{"model.delta.value_heads", "8"},
                      {"model.delta.key_heads", "4"},
                      {"model.delta.key_dim", "32"},
                      {"model.delta.value_dim", "64"}};

}  // namespace

TEST_CASE("delta rules: chunks of a prefill, shared by ranks, of several sequences", "[transformer]") {
  check_layers(chips(1, 1), with(kDelta, {{"tokens", "64"}}));
  check_layers(chips(1, 2), with(kDelta, {{"tokens", "160"}, {"parallel.tensor", "2"}}));
  // The sizes of Qwen3-Next.
  check_layers(chips(1, 1), with(kDelta, {{"tokens", "96"},
                                          {"model.delta.value_heads", "2"},
                                          {"model.delta.key_heads", "1"},
                                          {"model.delta.key_dim", "128"},
                                          {"model.delta.value_dim", "128"}}));
  // A chunk that is not full, and more cores than heads of keys.
  check_layers(chips(1, 1), with(kDelta, {{"tokens", "104"}, {"batch", "2"}, {"parallel.tensor", "8"}}));
}

TEST_CASE("delta rules: a decoding step reads and writes states", "[transformer]") {
  check_layers(chips(1, 1), with(kDelta, kTinyDecode));
  check_layers(chips(1, 2), with(kDelta, with(kTinyDecode, {{"parallel.tensor", "4"}, {"batch", "6"}})));
}

TEST_CASE("delta rules: layers in turn with attention that has gates, as in Qwen3-Next", "[transformer]") {
  const Settings next = with(kDelta, {{"model.attention_gate", "true"},
                                      {"model.qk_norm", "true"},
                                      {"model.rope.features", "16"},
                                      {"model.global_every", "2"},
                                      {"layers", "2"},
                                      {"model.layers", "2"},
                                      {"logits", "true"},
                                      {"model.vocabulary", "300"},
                                      {"parallel.tensor", "2"}});
  check_layers(chips(1, 2), with(next, {{"tokens", "64"}}));
  check_layers(chips(1, 1), with(next, kTinyDecode));
}

TEST_CASE("delta rules: values that are missing are found", "[transformer]") {
  const Settings prefill = with(kDelta, {{"tokens", "96"}}), decode = with(kDelta, kTinyDecode);
  CHECK(verdict(prefill, [](runtime::Machine&) {}) == "passed");
  for (const char* name : {"delta_weights", "delta_taps", "delta_rate", "delta_shift", "delta_gain"})
    CHECK_THAT(verdict(prefill, zeroed(name)), Catch::Contains("golden"));
  for (const char* name : {"delta_states", "delta_past"})
    CHECK_THAT(verdict(decode, zeroed(name)), Catch::Contains("golden"));
}

TEST_CASE("delta rules: what they lack is refused", "[transformer]") {
  CHECK(tiny_refusal(with(kDelta, {{"tokens", "64"}, {"parallel.tensor", "16"}})) ==
        "E-MDL-002 workload.parallel");
  CHECK(tiny_refusal(with(kDelta, {{"model.delta.key_heads", "3"}})) ==
        "E-MDL-001 workload.model.delta.key_heads");
  CHECK(tiny_refusal(with(kDelta, {{"tokens", "64"}, {"cached", "64"}})) == "E-MDL-001 workload.cached");
  CHECK(tiny_refusal(with(kDelta, {{"model.sinks", "true"}})) ==
        "E-MDL-001 workload.model.delta.value_heads");
}

TEST_CASE("layer parts: gates that multiply what experts get, norms of heads in local layers",
          "[transformer]") {
  const Settings llama{{"model.experts", "8"},
                       {"model.experts_per_token", "1"},
                       {"model.ffn", "128"},
                       {"model.gate_function", "sigmoid"},
                       {"model.gated_inputs", "true"},
                       {"model.normalised_gates", "false"},
                       {"model.shared_ffn", "128"},
                       {"parallel.tensor", "2"},
                       {"parallel.expert", "2"},
                       {"model.qk_norm", "true"},
                       {"model.qk_norm_global", "false"},
                       {"model.rope.global", "false"},
                       {"model.global_every", "2"},
                       {"layers", "2"},
                       {"model.layers", "2"}};
  check_layers(chips(1, 2), with(llama, {{"tokens", "64"}}));
  check_layers(chips(1, 1), with(llama, kTinyDecode));
  // A layer without experts, and one with.
  const Settings every{{"model.expert_every", "2"}, {"model.dense_ffn", "256"}};
  check_layers(chips(1, 2), with(llama, with(every, {{"tokens", "64"}})));
  check_layers(chips(1, 1), with(llama, with(every, kTinyDecode)));
  check_layers(chips(1, 2),
               with(llama, with(every, {{"tokens", "64"}, {"layers", "3"}, {"model.layers", "3"}})));
  CHECK(tiny_refusal(with(llama, {{"model.experts_per_token", "2"}})) ==
        "E-MDL-001 workload.model.gated_inputs");
  CHECK(tiny_refusal(with(llama, {{"model.expert_every", "2"}})) == "E-MDL-001 workload.model.dense_ffn");
}

TEST_CASE("layer parts: bounded queries, keys and values", "[transformer]") {
  check_phases({{"model.qkv_limit", "0.5"}});
  check_phases({{"model.qkv_limit", "0.9"}, {"model.qkv_bias", "true"}});
}

TEST_CASE("encoders: tokens see later ones, but no padding", "[transformer]") {
  const Settings vit{{"model.bidirectional", "true"},
                     {"model.norm", "layer_bias"},
                     {"model.gated", "false"},
                     {"model.rope.local", "false"},
                     {"model.activation", "gelu"},
                     {"layers", "2"},
                     {"model.layers", "2"}};
  check_layers(chips(1, 1), with(vit, {{"tokens", "64"}, {"padding", "15"}}));
  check_layers(chips(1, 2),
               with(vit, {{"tokens", "208"}, {"padding", "11"}, {"parallel.tensor", "2"}, {"batch", "2"}}));
  CHECK(params_with(with(kTiny, with(vit, {{"tokens", "64"}, {"padding", "15"}}))).useful_flops() ==
        params_with(with(kTiny, with(vit, {{"tokens", "49"}}))).useful_flops());
  CHECK(tiny_refusal(with(vit, kTinyDecode)) == "E-MDL-001 workload.model.bidirectional");
}

TEST_CASE("encoders: norms of the sums of the residual stream and sublayers", "[transformer]") {
  const Settings bert{{"model.bidirectional", "true"},
                      {"model.norm", "layer_bias"},
                      {"model.gated", "false"},
                      {"model.rope.local", "false"},
                      {"model.pre_norm", "false"},
                      {"model.norm_sums", "true"},
                      {"layers", "2"},
                      {"model.layers", "2"},
                      {"tokens", "64"}};
  check_layers(chips(1, 1), bert);
  check_layers(chips(1, 2), with(bert, {{"parallel.tensor", "2"}, {"overlap", "2"}}));
  check_layers(chips(1, 1), with(bert, {{"parallel.pipeline", "2"}, {"batch", "2"}, {"microbatches", "2"}}));
  for (const char* name : {"attention_norm_bias", "mlp_norm_bias"})
    CHECK_THAT(verdict(bert, zeroed(name)), Catch::Contains("golden"));
  CHECK(tiny_refusal(with(bert, kLogits)) == "E-MDL-001 workload.model.norm_sums");
  CHECK(tiny_refusal(with(bert, {{"model.pre_norm", "true"}})) == "E-MDL-001 workload.model.norm_sums");
}
