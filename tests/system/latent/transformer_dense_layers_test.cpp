// SPDX-License-Identifier: Apache-2.0
// Mixtures of experts whose first layers have one feed-forward part instead: golden references, also where a
// stage has no experts, a planted error, work and footprint by counting, and refused cases.
#include <catch2/catch.hpp>

#include "tests/support/program/transformer_run.h"

using namespace tahoma;
using tests::Settings, tests::kTiny, tests::with, tests::chips, tests::check_layers, tests::params_with;

namespace {

const Settings kDense{{"model.experts", "4"},
                      {"model.dense_layers", "1"},
                      {"model.dense_ffn", "384"},
                      {"model.shared_ffn", "128"},
                      {"layers", "2"},
                      {"model.layers", "2"}};
const Settings kDenseStep{{"phase", "decode"}, {"context", "50"}, {"batch", "4"}};

Settings dense(const Settings& more) { return with(kDense, more); }

}  // namespace

TEST_CASE("dense layers: a prefill of a layer without experts and one with experts", "[transformer]") {
  check_layers(chips(1, 1), dense({{"tokens", "48"}}));
  check_layers(chips(1, 2), dense({{"tokens", "64"},
                                   {"parallel.tensor", "4"},
                                   {"parallel.expert", "2"},
                                   {"overlap", "2"},
                                   {"model.shared_gated", "true"}}));
  check_layers(chips(1, 1), dense({{"tokens", "32"}, {"first_layer", "1"}, {"model.shared_ffn", "0"}}));
}

TEST_CASE("dense layers: a decoding step of a layer without experts and one with experts", "[transformer]") {
  check_layers(chips(1, 1), dense(kDenseStep));
  check_layers(chips(1, 2), dense(with(kDenseStep, {{"parallel.tensor", "4"}, {"parallel.expert", "2"}})));
  check_layers(chips(1, 1), dense(with(kDenseStep, {{"layers", "1"}})));
}

TEST_CASE("dense layers: stages, one of which has no experts", "[transformer]") {
  const Settings stages{
      {"parallel.pipeline", "2"}, {"layers", "4"}, {"model.layers", "4"}, {"microbatches", "2"}};
  for (const char* count : {"1", "2", "3"}) {
    const Settings more = with(stages, {{"model.dense_layers", count}});
    check_layers(chips(1, 1), dense(with(more, {{"tokens", "32"}, {"batch", "2"}})));
    check_layers(chips(1, 1), dense(with(more, kDenseStep)));
  }
}

TEST_CASE("dense layers: a matrix that is missing is found", "[transformer]") {
  const Settings settings = dense({{"tokens", "40"}, {"layers", "1"}});
  CHECK(tests::verdict(settings, [](runtime::Machine&) {}) == "passed");
  CHECK_THAT(tests::verdict(settings, tests::zeroed("down_weights")), Catch::Contains("golden"));
}

TEST_CASE("dense layers: their work and weights are those of their own feed-forward part", "[transformer]") {
  const auto params = [](const Settings& more) { return params_with(with(kTiny, dense(more))); };
  const double attention = 256.0 * 32 * (2 * 4 + 2 * 2), pairs = 4.0 * 4 * 32 * (10 * 11 / 2.0);
  const double without = attention + 3.0 * 256 * 384,
               experts =
                   attention + 3.0 * 256 * (2 * 512 + 128) + 256 * 4;  // two experts of a token, the router
  CHECK(params({{"tokens", "10"}}).useful_flops() == Approx(2 * 10 * (without + experts) + 2 * pairs));
  CHECK(params({{"tokens", "10"}, {"layers", "1"}}).useful_flops() == Approx(2 * 10 * without + pairs));
  CHECK(params({{"tokens", "10"}, {"layers", "1"}, {"first_layer", "1"}}).useful_flops() ==
        Approx(2 * 10 * experts + pairs));
  const double gains = 2 * 2 * 256 * 4;  // two of each layer, of fp32
  CHECK(footprint_of(params({}), chips(1, 1)).weights ==
        Approx(2 * (without + attention + 3.0 * 256 * (4 * 512 + 128) + 256 * 4) + gains));
}

TEST_CASE("dense layers: settings that do not fit each other are refused", "[transformer]") {
  const auto refusal = [](const Settings& more, std::uint64_t lnc = 1) {
    return tests::refusal(chips(1, lnc), with(kTiny, dense(more)));
  };
  CHECK(refusal({}) == "accepted");
  CHECK(refusal({{"model.dense_ffn", "0"}}) == "E-MDL-001 workload.model.dense_ffn");
  CHECK(refusal({{"model.dense_layers", "0"}}) == "E-MDL-001 workload.model.dense_layers");
  CHECK(refusal({{"model.experts", "0"}, {"model.shared_ffn", "0"}}) ==
        "E-MDL-001 workload.model.dense_layers");
  CHECK(refusal({{"model.dense_ffn", "385"}}, 2) == "E-MDL-001 workload.parallel.tensor");
}
