// SPDX-License-Identifier: Apache-2.0
// Layers of Mamba-2, and layers as Nemotron-H lists them: their reference in both phases, planted errors, and
// refused combinations.
#include <catch2/catch.hpp>

#include "tests/support/program/transformer_run.h"

using namespace tahoma;
using tests::Settings, tests::kTinyDecode, tests::tiny_refusal, tests::with, tests::chips,
    tests::check_layers, tests::verdict, tests::zeroed;

namespace {

const Settings kScan{{"model.delta.rule", "mamba2"},  {"model.delta.value_heads", "8"},
                     {"model.delta.key_heads", "2"},  {"model.delta.key_dim", "32"},
                     {"model.delta.value_dim", "32"}, {"model.delta.tap_bias", "true"},
                     {"model.sublayers", "M-"}};
const Settings kHybrid = with(kScan, {{"model.sublayers", "MEM*EM-"},
                                      {"model.layers", "4"},
                                      {"layers", "4"},
                                      {"model.experts", "4"},
                                      {"model.ffn", "128"},
                                      {"model.shared_ffn", "64"},
                                      {"model.dense_ffn", "192"},
                                      {"model.gate_function", "sigmoid"},
                                      {"model.gated", "false"},
                                      {"model.activation", "relu"},
                                      {"model.squared", "true"},
                                      {"model.rope.local", "false"},
                                      {"model.rope.global", "false"}});

}  // namespace

TEST_CASE("Mamba-2: chunks of a prefill on one core, and on more than there are groups",
          "[transformer][long]") {
  check_layers(chips(1, 1), with(kScan, {{"tokens", "160"}, {"batch", "2"}}));
  // Physical cores of a rank share a group, and so do ranks.
  check_layers(chips(1, 2), with(kScan, {{"tokens", "64"}, {"parallel.tensor", "2"}}));
  check_layers(chips(1, 2), with(kScan, {{"tokens", "64"}, {"parallel.tensor", "4"}}));
  // States of more features than the array has rows.
  check_layers(chips(1, 1), with(kScan, {{"tokens", "136"}, {"model.delta.key_dim", "256"}}));
}

TEST_CASE("Mamba-2: a decoding step reads and writes states", "[transformer]") {
  check_layers(chips(1, 1), with(kScan, kTinyDecode));
  check_layers(chips(1, 2), with(kScan, with(kTinyDecode, {{"parallel.tensor", "4"}, {"batch", "6"}})));
  check_layers(chips(1, 1), with(kScan, with(kTinyDecode, {{"model.delta.key_dim", "192"},
                                                           {"model.delta.most_rate", "0.5"},
                                                           {"model.delta.least_rate", "0.1"}})));
}

TEST_CASE("layers as Nemotron-H lists them: with experts, another feed-forward part or none",
          "[transformer][long]") {
  check_layers(chips(1, 2), with(kHybrid, {{"tokens", "64"}, {"parallel.tensor", "2"}}));
  check_layers(chips(1, 1),
               with(kHybrid, {{"tokens", "64"}, {"logits", "true"}, {"model.vocabulary", "300"}}));
  check_layers(chips(1, 2),
               with(kHybrid, with(kTinyDecode, {{"parallel.tensor", "2"}, {"parallel.expert", "2"}})));
  // The last layer has no feed-forward part.
  check_layers(chips(1, 2), with(kScan, {{"tokens", "64"},
                                         {"model.sublayers", "MM"},
                                         {"layers", "2"},
                                         {"model.layers", "2"},
                                         {"parallel.tensor", "2"}}));
}

TEST_CASE("Mamba-2: values that are missing are found", "[transformer][long]") {
  const Settings prefill = with(kScan, {{"tokens", "96"}}), decode = with(kScan, kTinyDecode);
  CHECK(verdict(prefill, [](runtime::Machine&) {}) == "passed");
  for (const char* name :
       {"delta_weights", "delta_taps", "delta_rate", "delta_shift", "delta_skip", "delta_gain"})
    CHECK_THAT(verdict(prefill, zeroed(name)), Catch::Contains("golden"));
  for (const char* name : {"delta_states", "delta_past"})
    CHECK_THAT(verdict(decode, zeroed(name)), Catch::Contains("golden"));
}

TEST_CASE("Mamba-2: what does not fit together is refused", "[transformer]") {
  CHECK(tiny_refusal(with(kScan, {{"model.delta.rule", "delta"}})) == "E-MDL-001 workload.model.delta.rule");
  CHECK(tiny_refusal(with(kScan, {{"model.sublayers", "M--"}})) == "E-MDL-001 workload.model.sublayers");
  CHECK(tiny_refusal(with(kScan, {{"model.sublayers", "ME"}})) == "E-MDL-001 workload.model.sublayers");
  CHECK(tiny_refusal(with(kScan, {{"layers", "2"}})) == "E-MDL-001 workload.model.sublayers");
  CHECK(tiny_refusal(with(kHybrid, {{"model.gated", "true"}})) == "E-MDL-001 workload.model.squared");
  CHECK(tiny_refusal(with(kHybrid, {{"model.dense_ffn", "0"}})) == "E-MDL-001 workload.model.dense_ffn");
}
