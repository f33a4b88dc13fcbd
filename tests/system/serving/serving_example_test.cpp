// SPDX-License-Identifier: Apache-2.0
// The shipped cases: they run, their table interpolates well, and it is what this version executes.
#include <catch2/catch.hpp>
#include <cmath>
#include <nlohmann/json.hpp>

#include "studies/serving/steps/held_back.h"
#include "tests/support/subprocess.h"

using namespace tahoma::tests;
using namespace tahoma::runtime::serving;
using OneJson = nlohmann::json;

namespace {
const std::string kShipped = TAHOMA_SOURCE_DIR "/workloads/serving/";
}

TEST_CASE("shipped servers: each simulates all its requests", "[serving]") {
  for (const char* file : {"llama3_8b.yaml", "llama3_8b_chunked.yaml", "llama3_8b_separated.yaml"}) {
    const TempDir dir;
    const Finished run = tahoma_in(dir.path(), {"serve", kShipped + file, "--out", "out"});
    INFO(file << run.err);
    REQUIRE(run.status == 0);
    CHECK(OneJson::parse(contents(dir / "out/summary.json"))["requests"] == 1000);
  }
}

TEST_CASE("shipped steps: the interpolation errs by at most 3 % at held-back steps", "[serving]") {
  const StepTable table(kShipped + "steps.csv");
  const HeldBack held_back = held_back_errors(table, kShipped + "held_back.csv");
  CHECK(held_back.steps.size() >= 10);
  CHECK(std::abs(held_back.worst().error_percent()) <= 3);
}

// A change of the model moves the times; beyond 5 %, the sweeps in workloads/serving/README.md are due.
TEST_CASE("shipped steps: one of them is executed again", "[serving]") {
  const TempDir dir;
  const Finished run =
      tahoma_in(dir.path(), {"run", kShipped + "llama3_8b_chip.yaml", "--no-report", "--out", "out"});
  INFO(run.err);
  REQUIRE(run.status == 0);
  const double layer = OneJson::parse(contents(dir / "out/summary.json"))["simulated_time_ns"];
  constexpr int kModelLayers = 32;
  const StepTable table(kShipped + "steps.csv");
  CHECK(table.cost_at(StepPhase::kDecode, {1, 512, 0, 0}).seconds ==
        Approx(layer * kModelLayers / 1e9).epsilon(0.05));
}
