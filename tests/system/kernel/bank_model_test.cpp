// SPDX-License-Identifier: Apache-2.0
// Shipped cases with `hbm.model: banks` and with `dram`: how far apart their times are.
#include <catch2/catch.hpp>
#include <cmath>
#include <cstdlib>

#include "runtime/config/config.h"
#include "runtime/run/machine.h"
#include "tests/support/in_child.h"

using namespace tahoma;

namespace {

double microseconds(const std::string& file, const std::string& memory) {
  return std::stod(tests::in_child([&] {
    const auto config = runtime::resolve_config(
        {TAHOMA_SOURCE_DIR "/workloads/" + file, "", {"machine.chip.hbm.model=" + memory}, "timing", ""});
    runtime::Machine machine(config->machine, config->mode());
    config->workload->prepare(machine, config->run.seed);
    return std::to_string(machine.run().elapsed.ns() / 1000);
  }));
}

double error(const std::string& file) { return microseconds(file, "banks") / microseconds(file, "dram") - 1; }

}  // namespace

// model/memory/README.md has the figures.
TEST_CASE("bank model: kernels and layers of one core take as long as with commands within 1 %", "[hbm]") {
  for (const std::string file :
       {"gemm/blocked_4096.yaml", "gemm/row_loads_4096.yaml", "gemm/linear_gelu_4096.yaml",
        "gemm/naive_4096.yaml", "attention/one_core.yaml", "transformer/llama3_8b.yaml"}) {
    CAPTURE(file);
    CHECK(std::abs(error(file)) <= 0.01);
  }
}

TEST_CASE("bank model: jobs of many chips take as long as with commands within 6 %", "[hbm]") {
  for (const std::string file : {"gemm/ultraserver.yaml", "gemm/chip.yaml"}) {
    CAPTURE(file);
    CHECK(std::abs(error(file)) <= 0.06);
  }
}

TEST_CASE("bank model: a model on 64 chips takes as long as with commands within 6 %", "[hbm][slow]") {
  CHECK(std::abs(error("transformer/small_64_chips.yaml")) <= 0.06);
}
