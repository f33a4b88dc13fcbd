// SPDX-License-Identifier: Apache-2.0
// Feed-forward layers: golden values at sizes with edges everywhere, times that do not depend on the mode, no
// races, and refused cases. A second machine in one case runs in a child process.
#include "workloads/mlp/mlp.h"

#include <catch2/catch.hpp>

#include "tests/support/program/refusal_of.h"
#include "tests/support/program/workload_run.h"
#include "workloads/mlp/mlp_kernel.h"

using namespace tahoma;

namespace {

void check(tests::Settings settings) {
  for (const auto& [key, value] : {std::pair{"tokens", "75"}, {"features", "300"}, {"hidden", "645"}})
    settings.insert(settings.begin(), {key, value});
  tests::check_workload(workloads::make_mlp, settings);
}

}  // namespace

TEST_CASE("mlp: SwiGLU in bf16", "[mlp][machine]") { check({}); }
TEST_CASE("mlp: SwiGLU in fp16 on three cores", "[mlp][machine]") {
  check({{"dtype", "fp16"}, {"cores", "3"}});
}
TEST_CASE("mlp: SwiGLU in fp32", "[mlp][machine]") { check({{"dtype", "fp32"}}); }
TEST_CASE("mlp: one token", "[mlp][machine]") { check({{"tokens", "1"}}); }
TEST_CASE("mlp: one feature, one hidden", "[mlp][machine]") {
  check({{"features", "1"}, {"hidden", "1"}, {"tokens", "1"}});
}
TEST_CASE("mlp: several blocks of tokens", "[mlp][machine]") { check({{"tokens", "1100"}}); }
TEST_CASE("mlp: GELU without biases", "[mlp][machine]") {
  check({{"gated", "false"}, {"activation", "gelu"}});
}
TEST_CASE("mlp: GELU with biases, in fp32", "[mlp][machine]") {
  check({{"gated", "false"}, {"activation", "gelu"}, {"bias", "true"}, {"dtype", "fp32"}});
}
TEST_CASE("mlp: relu with biases on two cores", "[mlp][machine]") {
  check({{"gated", "false"}, {"activation", "relu"}, {"bias", "true"}, {"cores", "2"}});
}

TEST_CASE("mlp: biases behind a gate are refused", "[mlp]") {
  const std::string text = tests::refusal_of([] {
    tests::workload_with(workloads::make_mlp, {{"bias", "true"}})->check(tests::machine_of(1, 1, 1));
  });
  CHECK_THAT(text, Catch::Contains("E-RUN-093"));
}

TEST_CASE("mlp: a hidden layer that SBUF does not hold for one token is refused", "[mlp]") {
  const model::MachineParams machine = tests::default_machine();
  CHECK_NOTHROW(workloads::mlp_program(machine, {3, 200, 100'000}));
  const std::string text = tests::refusal_of([&] { workloads::mlp_program(machine, {3, 200, 900'000}); });
  CHECK_THAT(text, Catch::Contains("E-RUN-094"));
}
