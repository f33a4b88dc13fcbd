// SPDX-License-Identifier: Apache-2.0
// Multi-head latent attention: golden references in both phases, planted errors, work and footprint by
// counting, the angles of YaRN, and refused cases.
#include <catch2/catch.hpp>
#include <cmath>
#include <numbers>

#include "tests/support/program/transformer_run.h"
#include "workloads/transformer/layer/rotary_table.h"

using namespace tahoma;
using tests::Settings, tests::kTiny, tests::with, tests::chips, tests::check_layers, tests::params_with;

namespace {

const Settings kLatent{{"model.heads", "4"},         {"model.kv_heads", "4"},
                       {"model.head_dim", "48"},     {"model.latent.kv_rank", "64"},
                       {"model.latent.nope", "32"},  {"model.latent.rope", "16"},
                       {"model.latent.values", "40"}};
const Settings kQueries{{"model.latent.q_rank", "96"}};
const Settings kDecode{{"phase", "decode"}, {"context", "150"}, {"batch", "3"}};

Settings latent(const Settings& more) { return with(kLatent, more); }

}  // namespace

TEST_CASE("latent attention: a prefill on one core, on pairs, and in slices", "[transformer]") {
  check_layers(chips(1, 1), latent({{"tokens", "70"}, {"batch", "2"}}));
  check_layers(chips(1, 2),
               latent(with(kQueries, {{"tokens", "64"}, {"parallel.tensor", "2"}, {"overlap", "2"}})));
  // A head for each rank of two cores.
  check_layers(chips(1, 2), latent(with(kQueries, {{"tokens", "64"}, {"parallel.tensor", "4"}})));
}

TEST_CASE("latent attention: a decoding step on one core, on pairs, and with empty caches", "[transformer]") {
  check_layers(chips(1, 1), latent(kDecode));
  check_layers(chips(1, 2), latent(with(kQueries, with(kDecode, {{"parallel.tensor", "4"}}))));
  check_layers(chips(1, 1), latent(with(kQueries, with(kDecode, {{"context", "0"}}))));
}

TEST_CASE("latent attention: stages, logits and norms behind the sublayers", "[transformer]") {
  const Settings stages{
      {"parallel.pipeline", "2"}, {"layers", "2"}, {"model.layers", "2"}, {"microbatches", "2"}};
  const Settings more{{"logits", "true"}, {"model.vocabulary", "300"}, {"model.post_norm", "true"}};
  check_layers(chips(1, 1), latent(with(with(stages, more), {{"tokens", "32"}, {"batch", "2"}})));
  check_layers(chips(1, 1), latent(with(with(stages, more), with(kDecode, {{"batch", "4"}}))));
}

TEST_CASE("latent attention: values that are missing are found", "[transformer]") {
  for (const Settings& phase : {Settings{{"tokens", "40"}}, kDecode}) {
    const Settings settings = latent(with(kQueries, phase));
    CHECK(tests::verdict(settings, [](runtime::Machine&) {}) == "passed");
    for (const char* name : {"latent_weights", "kv_a_gain", "q_a_gain", "q_weights", "q_rope_weights",
                             "k_weights", "v_weights", "rope_table"}) {
      INFO(name);
      CHECK_THAT(tests::verdict(settings, tests::zeroed(name)), Catch::Contains("golden"));
    }
  }
  CHECK_THAT(tests::verdict(latent(kDecode), tests::zeroed("latent_cache")), Catch::Contains("golden"));
}

TEST_CASE("latent attention: useful work is that of the weights, and of keys and values or latent vectors",
          "[transformer]") {
  const auto flops = [](const Settings& more) {
    return params_with(with(kTiny, latent(more))).useful_flops();
  };
  const double common = 256.0 * (64 + 16), heads = 4.0 * (256 * 48 + 64 * (32 + 40) + 40 * 256),
               ffn = 3.0 * 256 * 512;
  CHECK(flops({{"tokens", "10"}}) ==
        Approx(2 * 10 * (common + heads + ffn) + 2 * 4 * (48 + 40) * (10 * 11 / 2.0)));
  CHECK(flops(kDecode) == Approx(2 * 3 * (common + heads + ffn) + 2 * 4 * (80 + 64) * 3.0 * 151));
  // 96 features of queries come from 256, and 4 heads of 48 from 96.
  CHECK(flops(with(kDecode, kQueries)) - flops(kDecode) ==
        Approx(2 * 3 * (256.0 * 96 + 4 * 48 * 96 - 4.0 * 48 * 256)));
}

TEST_CASE("latent attention: each rank has the latent vectors of all tokens in its caches", "[transformer]") {
  const auto caches = [](const Settings& more) {
    return footprint_of(params_with(with(kTiny, latent(with(kDecode, more)))), chips(1, 1)).caches;
  };
  CHECK(caches({}) == 2.0 * 3 * 151 * (64 + 16));
  CHECK(caches({{"parallel.tensor", "4"}}) == 4 * caches({}));
}

TEST_CASE(
    "latent attention: YaRN scales slow pairs, leaves fast ones, and goes from one to the other in between",
    "[transformer]") {
  const auto model = params_with(latent({{"model.theta", "10000"},
                                         {"model.latent.rope", "64"},
                                         {"model.rope.scaling", "yarn"},
                                         {"model.rope.factor", "40"},
                                         {"model.rope.original_context", "4096"}}))
                         .model;
  double before = 0;
  for (std::uint64_t pair = 0; pair < 32; ++pair) {
    const double plain = std::pow(10000.0, -static_cast<double>(pair) / 32),
                 turns = 4096 * plain / (2 * std::numbers::pi),
                 got = workloads::rotary_frequency(model, pair, false) / plain;
    CHECK(got <= 1);
    CHECK(got >= 1 / 40.0 * (1 - 1e-12));
    if (pair > 0) CHECK(got <= before * (1 + 1e-12));
    before = got;
    // The ends are whole numbers of pairs: one further that turns more than 32 times, or less than once.
    if (turns * std::pow(10000.0, -1 / 32.0) > 32) CHECK(got == Approx(1));
    if (turns * std::pow(10000.0, 1 / 32.0) < 1) CHECK(got == Approx(1 / 40.0));
  }
}

TEST_CASE("latent attention: what it lacks is refused by name", "[transformer]") {
  const auto refusal = [](const Settings& more, std::uint64_t lnc = 1) {
    return tests::refusal(chips(1, lnc), with(kTiny, latent(more)));
  };
  CHECK(refusal({{"tokens", "64"}}) == "accepted");
  for (const auto& [key, value] : Settings{{"model.head_dim", "32"},
                                           {"model.kv_heads", "2"},
                                           {"model.window", "32"},
                                           {"model.score_cap", "2"},
                                           {"model.qkv_bias", "true"},
                                           {"model.qk_norm", "true"},
                                           {"model.rope.local_theta", "100"},
                                           {"parallel.sequence", "2"},
                                           {"parallel.tensor", "8"},
                                           {"cached", "16"}}) {
    INFO(key);
    CHECK(refusal({{"tokens", "64"}, {key, value}}) == "E-MDL-001 workload." + key);
  }
  CHECK(refusal(with(kDecode, {{"parallel.sequence", "2"}})) == "E-MDL-001 workload.parallel.sequence");
  CHECK(refusal({{"model.latent.rope", "17"}, {"model.head_dim", "49"}}) ==
        "E-MDL-001 workload.model.latent.rope");
  CHECK(refusal({{"tokens", "64"}, {"model.latent.kv_rank", "65"}}, 2) ==
        "E-MDL-001 workload.model.latent.kv_rank");
  CHECK(refusal({{"model.rope.scaling", "yarn"}, {"model.rope.beta_fast", "0.5"}}) ==
        "E-MDL-001 workload.model.rope.beta_fast");
  // A PSUM bank has 512 sums: with a rank of 512 those of 102 heads.
  const Settings wide =
      with(kDecode, {{"model.latent.kv_rank", "512"}, {"model.heads", "103"}, {"model.kv_heads", "103"}});
  CHECK(refusal(wide) == "E-MDL-001 workload.model.kv_heads");
  CHECK(refusal(with(wide, {{"model.heads", "102"}, {"model.kv_heads", "102"}})) == "accepted");
}
