// SPDX-License-Identifier: Apache-2.0
// Models from token ids to logits: their golden reference in the degrees of parallelism and in both phases,
// biases and norms of heads, planted errors, refused cases, and the scaling of rotary frequencies.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <numbers>

#include "tests/support/program/transformer_run.h"
#include "tests/support/temp_dir.h"
#include "workloads/transformer/layer/rotary_table.h"

using namespace tahoma;
using tests::Settings, tests::kTiny, tests::with, tests::chips, tests::check_layers, tests::params_with,
    tests::verdict, tests::zeroed;

namespace {

// A vocabulary that no number of ranks divides.
const Settings kOddVocabulary{{"logits", "true"}, {"model.vocabulary", "333"}};

Settings ends(const Settings& more) { return with(kOddVocabulary, more); }
Settings decode(const Settings& more) { return ends(with({{"phase", "decode"}, {"context", "24"}}, more)); }

std::string refusal_of_logits(const Settings& settings) {
  return tests::refusal(chips(1, 1), with(kTiny, settings));
}

workloads::ModelShape llama3_angles() {
  workloads::ModelShape shape;
  shape.head_dim = 128;
  shape.theta = 500000;
  shape.rope.scaling = workloads::RopeScaling::kLlama3;
  shape.rope.factor = 8;
  return shape;
}

}  // namespace

TEST_CASE("logits: a prefill and a decoding step on one core", "[transformer]") {
  check_layers(chips(1, 1), ends({{"tokens", "40"}}));
  check_layers(chips(1, 1), decode({{"batch", "5"}}));
}

TEST_CASE("logits: a prefill on ranks of two cores, in slices, two layers", "[transformer]") {
  check_layers(chips(1, 2), ends({{"tokens", "128"},
                                  {"layers", "2"},
                                  {"model.layers", "2"},
                                  {"overlap", "2"},
                                  {"parallel.tensor", "4"}}));
}

TEST_CASE("logits: prefills whose runs hold several sequences, or several runs a sequence", "[transformer]") {
  check_layers(chips(1, 1), ends({{"tokens", "8"}, {"batch", "8"}, {"parallel.tensor", "2"}}));
  check_layers(chips(1, 2), ends({{"tokens", "32"}, {"batch", "2"}, {"parallel.tensor", "4"}}));
  check_layers(chips(1, 2), ends({{"tokens", "16"}, {"batch", "4"}}));
}

TEST_CASE("logits: replicas on two chips, each with its own sequences", "[transformer]") {
  const Settings replicas{{"batch", "4"}, {"parallel.tensor", "4"}, {"parallel.data", "2"}};
  check_layers(chips(2, 2), ends(with(replicas, {{"tokens", "32"}})));
  check_layers(chips(2, 2), decode(replicas));
}

TEST_CASE("logits: two stages, two microbatches, in both phases", "[transformer]") {
  const Settings stages{{"layers", "2"},       {"model.layers", "2"},    {"batch", "4"},
                        {"microbatches", "2"}, {"parallel.tensor", "2"}, {"parallel.pipeline", "2"}};
  check_layers(chips(1, 1), ends(with(stages, {{"tokens", "32"}})));
  check_layers(chips(1, 1), decode(stages));
}

TEST_CASE("logits: a decoding step of two groups that share the caches", "[transformer]") {
  check_layers(chips(1, 1), decode({{"batch", "4"}, {"parallel.tensor", "2"}, {"parallel.sequence", "2"}}));
}

TEST_CASE("logits: a prefill of groups that share the tokens of a sequence, the last one on the first group",
          "[transformer]") {
  check_layers(chips(1, 1), ends({{"tokens", "128"}, {"batch", "2"}, {"parallel.sequence", "2"}}));
  check_layers(chips(1, 1), ends({{"tokens", "256"}, {"parallel.tensor", "2"}, {"parallel.sequence", "4"}}));
  check_layers(chips(1, 2), ends({{"tokens", "128"}, {"overlap", "2"}, {"parallel.sequence", "2"}}));
  check_layers(chips(2, 1), ends({{"tokens", "128"},
                                  {"batch", "4"},
                                  {"layers", "2"},
                                  {"model.layers", "2"},
                                  {"microbatches", "2"},
                                  {"parallel.sequence", "2"},
                                  {"parallel.data", "2"},
                                  {"parallel.pipeline", "2"}}));
}

TEST_CASE("logits: a mixture of experts in both phases", "[transformer]") {
  const Settings experts{
      {"model.experts", "8"}, {"model.ffn", "128"}, {"parallel.tensor", "4"}, {"parallel.expert", "2"}};
  check_layers(chips(1, 1), ends(with(experts, {{"tokens", "64"}})));
  check_layers(chips(1, 1), decode(with(experts, {{"batch", "4"}})));
}

TEST_CASE("logits: biases and norms of heads in both phases", "[transformer]") {
  const Settings heads{{"model.qkv_bias", "true"}, {"model.qk_norm", "true"}, {"parallel.tensor", "2"}};
  check_layers(chips(1, 2), ends(with(heads, {{"tokens", "64"}})));
  check_layers(chips(1, 2), decode(with(heads, {{"batch", "3"}})));
}

TEST_CASE("logits: each wrong matrix, vector or row number is found", "[transformer]") {
  const Settings all = ends(
      {{"tokens", "64"}, {"parallel.tensor", "2"}, {"model.qkv_bias", "true"}, {"model.qk_norm", "true"}});
  CHECK(verdict(all, {}) == "passed");
  for (const char* name :
       {"embedding", "token_rows", "final_gain", "head_weights", "qkv_bias", "q_norm", "k_norm"}) {
    INFO(name);
    CHECK(verdict(all, zeroed(name)).find("golden") != std::string::npos);
  }
}

TEST_CASE("logits: cases that cannot have them are refused", "[transformer]") {
  const Settings ranks{{"parallel.tensor", "2"}, {"batch", "2"}};
  CHECK(refusal_of_logits(ends(with(ranks, {{"tokens", "64"}}))) == "accepted");
  CHECK(refusal_of_logits({{"logits", "true"}}) == "E-MDL-025 workload.model.vocabulary");
  CHECK(refusal_of_logits(ends(with(ranks, {{"tokens", "128"}, {"parallel.sequence", "2"}}))) == "accepted");
  CHECK(
      refusal_of_logits(ends(with(ranks, {{"tokens", "384"}, {"batch", "3"}, {"parallel.sequence", "2"}}))) ==
      "E-MDL-025 workload.tokens");  // runs of 288 rows, sequences of 192 tokens on a group
  CHECK(refusal_of_logits(ends({{"tokens", "32"}, {"batch", "3"}, {"parallel.tensor", "2"}})) ==
        "E-MDL-025 workload.tokens");
}

TEST_CASE("logits: their work counts twice the products of the last tokens", "[transformer]") {
  const Settings plain = with(kTiny, {{"tokens", "64"}, {"batch", "3"}, {"model.vocabulary", "333"}});
  const double without = params_with(plain).useful_flops(),
               with_logits = params_with(with(plain, {{"logits", "true"}})).useful_flops();
  CHECK(with_logits - without == 2.0 * 256 * 333 * 3);
}

TEST_CASE("logits: times of the whole model are stated only where all layers were simulated",
          "[transformer]") {
  const auto figures = [](const char* layers) {
    return tests::in_child([&]() -> std::string {
      std::string keys;
      const Settings settings = ends({{"tokens", "32"}, {"model.layers", layers}});
      for (const auto& f :
           tests::run_layers(chips(1, 1), with(kTiny, settings), model::Mode::kTiming).figures)
        keys += f.key + " ";
      return keys;
    });
  };
  CHECK(figures("1").find("time_to_first_token_ns") != std::string::npos);
  CHECK(figures("2").find("time_to_first_token_ns") == std::string::npos);
  CHECK(figures("2").find("hbm_footprint_bytes") != std::string::npos);
}

TEST_CASE("rotary angles: llama3 keeps short wavelengths, divides long ones, and joins the two",
          "[transformer]") {
  const workloads::ModelShape scaled = llama3_angles();
  workloads::ModelShape plain = scaled;
  plain.rope.scaling = workloads::RopeScaling::kNone;
  double last = 0;
  for (std::uint64_t i = 64; i-- > 0;) {
    const double frequency = workloads::rotary_frequency(scaled, i),
                 unscaled = workloads::rotary_frequency(plain, i),
                 wavelength = 2 * std::numbers::pi / unscaled;
    CHECK(unscaled == Approx(std::pow(500000.0, -2.0 * static_cast<double>(i) / 128)));
    if (wavelength < 8192.0 / 4) CHECK(frequency == unscaled);
    if (wavelength > 8192.0) CHECK(frequency == Approx(unscaled / 8));
    CHECK(frequency <= unscaled);
    CHECK(frequency >= unscaled / 8 * (1 - 1e-12));
    CHECK(frequency > last);  // the order of the pairs stays
    last = frequency;
  }
}

TEST_CASE("rotary angles: linear scaling divides positions", "[transformer]") {
  workloads::ModelShape scaled = llama3_angles(), plain = scaled;
  scaled.rope.scaling = workloads::RopeScaling::kLinear;
  scaled.rope.factor = 4;
  plain.rope.scaling = workloads::RopeScaling::kNone;
  const runtime::HostTensor every_fourth = workloads::rope_table(scaled, 0, 4, 16),
                            dense = workloads::rope_table(plain, 0, 1, 16);
  CHECK(every_fourth.values == dense.values);
}
