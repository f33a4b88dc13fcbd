// SPDX-License-Identifier: Apache-2.0
// A prefill behind a cached context, a chunk of a longer prompt: its golden reference, planted errors, its
// work and what is refused.
#include <catch2/catch.hpp>

#include "tests/support/program/transformer_run.h"

using namespace tahoma;
using tests::Settings, tests::kTiny, tests::with, tests::chips, tests::check_layers, tests::in_child,
    tests::params_with;

TEST_CASE("chunk: one core, two sequences, a context that is no multiple of anything", "[transformer]") {
  check_layers(chips(1, 1),
               {{"tokens", "40"}, {"cached", "77"}, {"batch", "2"}, {"layers", "2"}, {"model.layers", "2"}});
}

TEST_CASE("chunk: a context of several blocks of keys", "[transformer]") {
  check_layers(chips(1, 1), {{"tokens", "130"}, {"cached", "700"}});
}

TEST_CASE("chunk: ranks of two cores in slices, and more ranks than heads", "[transformer]") {
  check_layers(chips(1, 2), {{"tokens", "64"}, {"cached", "50"}, {"batch", "3"}, {"parallel.tensor", "2"}});
  check_layers(chips(1, 2),
               {{"tokens", "128"}, {"cached", "64"}, {"overlap", "2"}, {"parallel.tensor", "4"}});
  check_layers(chips(2, 1), {{"tokens", "64"}, {"cached", "33"}, {"parallel.tensor", "8"}});
}

TEST_CASE("chunk: stages with microbatches and replicas, with logits", "[transformer]") {
  check_layers(chips(1, 1), {{"tokens", "32"},
                             {"cached", "48"},
                             {"batch", "4"},
                             {"layers", "2"},
                             {"model.layers", "2"},
                             {"parallel.pipeline", "2"},
                             {"parallel.data", "2"},
                             {"microbatches", "2"},
                             {"logits", "true"},
                             {"model.vocabulary", "90"}});
}

TEST_CASE("chunk: experts, and layers of Gemma", "[transformer]") {
  check_layers(chips(1, 1), {{"tokens", "32"}, {"cached", "48"}, {"model.experts", "4"}});
  check_layers(chips(1, 1), {{"tokens", "64"},
                             {"cached", "200"},
                             {"model.score_cap", "2"},
                             {"model.post_norm", "true"},
                             {"model.rope.local_theta", "100"}});
}

TEST_CASE("chunk: keys and positions that are missing are found", "[transformer]") {
  const Settings chunk{{"tokens", "40"}, {"cached", "77"}};
  CHECK(tests::verdict(chunk, [](runtime::Machine&) {}) == "passed");
  CHECK_THAT(tests::verdict(chunk, tests::zeroed("kv_cache")), Catch::Contains("golden"));
  CHECK_THAT(tests::verdict(chunk, tests::zeroed("rope_table")), Catch::Contains("golden"));
}

TEST_CASE("chunk: chunks of a prompt have its work, and each needs longer behind more", "[transformer]") {
  const auto flops = [](const Settings& settings) {
    return params_with(with(kTiny, settings)).useful_flops();
  };
  CHECK(flops({{"tokens", "512"}}) ==
        Approx(flops({{"tokens", "256"}}) + flops({{"tokens", "256"}, {"cached", "256"}})));
  const auto seconds = [](const std::string& cached) {
    return std::stod(in_child([&] {
      return std::to_string(tests::run_layers(chips(1, 1),
                                              with(kTiny, {{"tokens", "128"}, {"cached", cached}}),
                                              model::Mode::kTiming)
                                .measured.elapsed.seconds() *
                            1e9);
    }));
  };
  const double none = seconds("0"), some = seconds("1024"), more = seconds("4096");
  CAPTURE(none, some, more);
  CHECK(none < some);
  CHECK(some < more);
}

TEST_CASE("chunk: groups that share sequences have no cache", "[transformer]") {
  CHECK(tests::refusal(chips(1, 1),
                       with(kTiny, {{"tokens", "128"}, {"parallel.sequence", "2"}, {"cached", "16"}})) ==
        "E-MDL-001 workload.cached");
}
