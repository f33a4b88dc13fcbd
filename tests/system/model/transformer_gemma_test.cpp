// SPDX-License-Identifier: Apache-2.0
// Tests what layers of Gemma have beside those of Llama: their golden reference in both phases, planted
// errors, and the definitions of its functions.
#include <catch2/catch.hpp>

#include "tests/support/program/transformer_run.h"
#include "workloads/transformer/layer/noisy.h"
#include "workloads/transformer/layer/rotary_table.h"

using namespace tahoma;
using tests::Settings, tests::kTiny, tests::with, tests::chips, tests::check_layers, tests::params_with;

namespace {

const Settings kGemma2{{"model.activation", "gelu_apprx_tanh"},
                       {"model.post_norm", "true"},
                       {"model.query_scale", "0.25"},
                       {"model.score_cap", "2"}};
const Settings kGemma3{{"model.activation", "gelu_apprx_tanh"},
                       {"model.post_norm", "true"},
                       {"model.query_scale", "0.2"},
                       {"model.qk_norm", "true"},
                       {"layers", "2"},
                       {"model.layers", "2"},
                       {"model.rope.local_theta", "100"},
                       {"model.global_every", "2"}};
const Settings kWideHeads{{"model.head_dim", "256"}};
const Settings kLogits{{"logits", "true"}, {"model.vocabulary", "300"}, {"model.logit_cap", "3"}};
const Settings kDecode{{"phase", "decode"}, {"context", "300"}, {"batch", "3"}};

}  // namespace

TEST_CASE("gemma: capped scores, norms behind sublayers and gelu in a prefill", "[transformer]") {
  check_layers(chips(1, 1), with(kGemma2, {{"tokens", "300"}}));
  check_layers(chips(1, 2), with(with(kGemma2, kLogits), {{"tokens", "64"}, {"parallel.tensor", "2"}}));
}

TEST_CASE("gemma: capped scores, norms behind sublayers and gelu in a decoding step", "[transformer]") {
  check_layers(chips(1, 1), with(kGemma2, kDecode));
  check_layers(chips(1, 2), with(with(kGemma2, kLogits), with(kDecode, {{"parallel.tensor", "2"}})));
  check_layers(chips(1, 1), with(kGemma2, with(kDecode, {{"parallel.sequence", "2"}, {"context", "128"}})));
}

TEST_CASE("gemma: local and global angles in both phases", "[transformer]") {
  check_layers(chips(1, 2), with(kGemma3, {{"tokens", "64"}, {"parallel.tensor", "2"}, {"overlap", "2"}}));
  check_layers(chips(1, 2), with(kGemma3, with(kDecode, {{"parallel.tensor", "2"}, {"batch", "4"}})));
  check_layers(chips(1, 1), with(kGemma3, with(kDecode, {{"parallel.pipeline", "2"}})));
}

TEST_CASE("gemma: heads of 256 features in a prefill", "[transformer]") {
  check_layers(chips(1, 1), with(kGemma2, with(kWideHeads, {{"tokens", "70"}, {"cached", "120"}})));
  check_layers(chips(1, 2), with(with(kGemma3, kWideHeads),
                                 {{"tokens", "64"}, {"parallel.tensor", "2"}, {"model.window", "50"}}));
  check_layers(chips(1, 1), with(kWideHeads, {{"tokens", "128"}, {"parallel.sequence", "2"}}));
  check_layers(chips(1, 1), with(kWideHeads, {{"tokens", "64"}, {"parallel.tensor", "8"}}));
}

TEST_CASE("gemma: heads of 256 features in a decoding step", "[transformer]") {
  check_layers(chips(1, 1), with(kGemma2, with(kWideHeads, with(kDecode, {{"model.window", "90"}}))));
  check_layers(chips(1, 2),
               with(with(kGemma3, kWideHeads), with(kDecode, {{"parallel.tensor", "2"}, {"batch", "4"}})));
  check_layers(chips(1, 1),
               with(kWideHeads, with(kDecode, {{"parallel.sequence", "2"}, {"context", "128"}})));
}

TEST_CASE("gemma: more heads that share keys than a decoding step takes are refused", "[transformer]") {
  const Settings many = with(with(kTiny, kDecode), {{"model.heads", "256"}, {"model.kv_heads", "1"}});
  CHECK(tests::refusal(chips(1, 1), many) == "E-MDL-001 workload.model.kv_heads");
  CHECK(tests::refusal(chips(1, 1), with(many, {{"parallel.tensor", "2"}})) == "accepted");
  CHECK(tests::refusal(chips(1, 1), with(many, {{"phase", "prefill"}})) == "accepted");
}

TEST_CASE("gemma: values that are missing are found", "[transformer]") {
  const Settings tokens{{"tokens", "40"}};
  CHECK(tests::verdict(with(kGemma2, tokens), [](runtime::Machine&) {}) == "passed");
  for (const char* name : {"attention_post_gain", "mlp_post_gain"})
    CHECK_THAT(tests::verdict(with(kGemma2, tokens), tests::zeroed(name)), Catch::Contains("golden"));
  CHECK_THAT(tests::verdict(with(kGemma3, tokens), tests::zeroed("local_rope_table")),
             Catch::Contains("golden"));
}

TEST_CASE("gemma: every n-th layer has the global angles, and only local ones are unscaled",
          "[transformer]") {
  const auto model = params_with({{"model.rope.local_theta", "100"},
                                  {"model.global_every", "3"},
                                  {"model.rope.scaling", "linear"},
                                  {"model.rope.factor", "8"},
                                  {"model.theta", "1000"}})
                         .model;
  for (std::uint64_t layer = 0; layer < 9; ++layer) CHECK(model.local(layer) == (layer % 3 != 2));
  for (std::uint64_t pair = 0; pair < model.head_dim / 2; ++pair) {
    const double share = 2.0 * static_cast<double>(pair) / static_cast<double>(model.head_dim);
    CHECK(workloads::rotary_frequency(model, pair, true) == Approx(std::pow(100, -share)));
    CHECK(workloads::rotary_frequency(model, pair, false) == Approx(std::pow(1000, -share) / 8));
  }
}

TEST_CASE("gemma: the slopes of gelu and of a cap are their differences", "[transformer]") {
  const double step = 1e-5;
  for (const double x : {-3.0, -0.7, 0.0, 0.4, 2.5}) {
    const auto at = [](double value, double variance) {
      return workloads::Noisy{workloads::Rows::Constant(1, 1, value),
                              workloads::Rows::Constant(1, 1, variance)};
    };
    const auto gelu = [&](double g) {
      return workloads::gated(at(g, 0), at(1, 0), isa::ActFn::kGeluTanh).value(0, 0);
    };
    const auto cap = [&](double g) { return workloads::bounded(at(g, 0), 1.5).value(0, 0); };
    CHECK(gelu(x) ==
          Approx(0.5 * x * (1 + std::tanh(0.7978845608 * (x + 0.044715 * x * x * x)))).margin(1e-9));
    const double gelu_slope = (gelu(x + step) - gelu(x - step)) / (2 * step),
                 cap_slope = (cap(x + step) - cap(x - step)) / (2 * step);
    const double exact = workloads::gated(at(x, 0), at(1, 0), isa::ActFn::kGeluTanh).variance(0, 0);
    CHECK(workloads::gated(at(x, 1), at(1, 0), isa::ActFn::kGeluTanh).variance(0, 0) - exact ==
          Approx(gelu_slope * gelu_slope).margin(1e-6));
    CHECK(workloads::bounded(at(x, 1), 1.5).variance(0, 0) == Approx(cap_slope * cap_slope).margin(1e-6));
  }
}
