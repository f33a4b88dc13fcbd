// SPDX-License-Identifier: Apache-2.0
// Sliding windows: golden references of layers that see the last keys only, alone and beside layers that see
// all, in both phases; windows that contain the whole sequence; a planted error; work and footprint by
// counting; refused cases.
#include <catch2/catch.hpp>

#include "tests/support/program/transformer_run.h"
#include "workloads/transformer/model_footprint.h"

using namespace tahoma;
using tests::Settings, tests::kTiny, tests::with, tests::chips, tests::check_layers, tests::params_with,
    tests::run_layers;

namespace {

Settings windowed(const Settings& more) {
  return with({{"model.window", "50"}, {"layers", "2"}, {"model.layers", "2"}}, more);
}

std::string time_of(const Settings& settings) {
  return tests::in_child([&] {
    return std::to_string(
        run_layers(chips(1, 1), with(kTiny, settings), model::Mode::kTiming).measured.elapsed.fs);
  });
}

}  // namespace

TEST_CASE("window: a prefill of local layers, and of a local and a global one", "[transformer]") {
  check_layers(chips(1, 1), windowed({{"tokens", "200"}}));
  check_layers(chips(1, 2),
               windowed({{"tokens", "160"}, {"parallel.tensor", "2"}, {"model.global_every", "2"}}));
  check_layers(chips(1, 1), windowed({{"tokens", "64"}, {"model.window", "1"}}));
}

TEST_CASE("window: a prefill behind a cached context, and of groups that share sequences", "[transformer]") {
  check_layers(chips(1, 1), windowed({{"tokens", "64"}, {"cached", "120"}}));
  check_layers(chips(1, 1), windowed({{"tokens", "96"}, {"cached", "20"}, {"model.global_every", "2"}}));
  check_layers(chips(1, 1), windowed({{"tokens", "256"}, {"parallel.sequence", "2"}}));
}

TEST_CASE("window: a decoding step, whose caches keep the window only", "[transformer]") {
  const Settings step = windowed({{"phase", "decode"}, {"batch", "5"}, {"context", "150"}});
  check_layers(chips(1, 1), step);
  check_layers(chips(1, 2), with(step, {{"parallel.tensor", "4"}, {"model.global_every", "2"}}));
  check_layers(chips(1, 1), with(step, {{"model.window", "1"}}));
  check_layers(chips(1, 1), with(step, {{"first_layer", "1"}, {"model.global_every", "2"}}));
}

TEST_CASE("window: one that contains the sequence changes nothing", "[transformer]") {
  for (const Settings& phase :
       {Settings{{"tokens", "600"}}, Settings{{"phase", "decode"}, {"batch", "3"}, {"context", "599"}}}) {
    const std::string all = time_of(phase);
    CHECK(time_of(with(phase, {{"model.window", "600"}})) == all);
    CHECK(time_of(with(phase, {{"model.window", "40"}, {"model.global_every", "1"}})) == all);
    CHECK(time_of(with(phase, {{"model.window", "40"}})) != all);
  }
}

TEST_CASE("window: the number of the first layer decides which layers are local", "[transformer]") {
  const auto step = [](const char* first) {
    return time_of({{"phase", "decode"},
                    {"batch", "4"},
                    {"context", "4000"},
                    {"model.window", "100"},
                    {"model.global_every", "3"},
                    {"first_layer", first}});
  };
  CHECK(step("0") == step("1"));
  CHECK(step("2") != step("1"));
  CHECK(step("3") == step("0"));
}

TEST_CASE("window: work and caches are those of the keys that are seen", "[transformer]") {
  const auto flops = [](const Settings& more) {
    return params_with(with(kTiny, with({{"layers", "1"}}, more))).useful_flops();
  };
  const double pair = 4.0 * 4 * 32;  // heads, features
  const Settings prefill{{"tokens", "100"}}, step{{"phase", "decode"}, {"context", "99"}, {"batch", "3"}};
  double fewer = 0;
  for (int token = 0; token < 100; ++token) fewer += std::max(0, token + 1 - 30);
  CHECK(flops(prefill) - flops(with(prefill, {{"model.window", "30"}})) == Approx(pair * fewer));
  CHECK(flops(step) - flops(with(step, {{"model.window", "30"}})) == Approx(pair * 3 * 70));
  const auto caches = [&](const Settings& more) {
    return workloads::footprint_of(params_with(with(kTiny, with(step, more))), chips(1, 1)).caches;
  };
  const Settings four{{"layers", "4"}, {"model.layers", "4"}};
  CHECK(caches(with(four, {{"model.window", "30"}})) == Approx(0.3 * caches(four)));
  CHECK(caches(with(four, {{"model.window", "30"}, {"model.global_every", "2"}})) ==
        Approx(0.65 * caches(four)));
}

TEST_CASE("window: groups that share the caches of a decoding step, and training, are refused",
          "[transformer]") {
  const auto refused = [](const Settings& settings) {
    return tests::refusal(chips(1, 1), with(kTiny, settings));
  };
  const Settings shared{{"phase", "decode"}, {"batch", "4"}, {"context", "64"}, {"parallel.sequence", "2"}};
  CHECK(refused(with(shared, {{"model.window", "65"}})) == "accepted");
  CHECK(refused(with(shared, {{"model.window", "64"}})) == "E-MDL-001 workload.parallel.sequence");
  CHECK(params_with({{"model.window", "64"}}).model.beyond_llama() == std::string("workload.model.window"));
}
