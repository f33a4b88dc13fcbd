// SPDX-License-Identifier: Apache-2.0
// A GEMM on arrays of 16 to 512 rows and columns under 16 to 512 partitions: it uses the array that the
// machine has, by closed forms of its passes, and its values are right. Each case is one machine.
#include <catch2/catch.hpp>

#include "runtime/run/machine.h"
#include "tests/support/bench/machine_fixture.h"
#include "workloads/gemm/gemm.h"

using namespace tahoma;

namespace {

struct Shape {
  std::uint64_t rows, columns, partitions;
};

std::uint64_t blocks(std::uint64_t size, std::uint64_t edge) { return (size + edge - 1) / edge; }

// C = A B in bf16 on one core: ceil(k / rows) x ceil(m / columns) passes of n columns each. Rows and columns
// of the array beyond the partitions have no operands.
void check_gemm(const Shape& s, std::uint64_t m, std::uint64_t n, std::uint64_t k) {
  CAPTURE(s.rows, s.columns, s.partitions, m, n, k);
  model::MachineParams params = tests::machine_of(1, 1, 1);
  params.chip.core.tensor.rows = s.rows;
  params.chip.core.tensor.columns = s.columns;
  params.chip.core.sbuf.partitions = s.partitions;
  const auto gemm = workloads::make_gemm();
  base::ParamTree tree("workload");
  gemm->declare(tree);
  for (const auto& [key, value] : {std::pair{"m", m}, std::pair{"n", n}, std::pair{"k", k}})
    tree.set(std::string("workload.") + key, std::to_string(value), "test");
  gemm->check(params);
  runtime::Machine machine(params, model::Mode::kFunctional, {true, true});
  gemm->prepare(machine, 1);
  const base::RunMeasurement run = machine.run();
  CHECK(machine.findings().total() == 0);
  const runtime::GoldenResult golden = gemm->verify(machine);
  INFO(golden.first_mismatch);
  CHECK((golden.checked() && golden.passed()));
  const auto engine =
      std::find_if(run.engines.begin(), run.engines.end(), [](const base::EngineMeasurement& e) {
        return e.kind == base::EngineKind::kTensor && e.instructions > 0;
      });
  REQUIRE(engine != run.engines.end());
  const std::uint64_t rows = blocks(k, std::min(s.rows, s.partitions)),
                      columns = blocks(m, std::min(s.columns, s.partitions));
  CHECK(engine->streaming_cycles == rows * columns * n);
  CHECK(engine->row_cycles == k * columns * n);
  CHECK(engine->column_cycles == rows * m * n);
  CHECK(engine->cell_cycles == m * n * k);
  const double ns = static_cast<double>(engine->streaming_cycles) * 1e9 /
                    static_cast<double>(params.chip.core.tensor.clock.hz);
  CHECK(static_cast<double>(run.elapsed.fs) * 1e-6 >= ns);
}

}  // namespace

TEST_CASE("array shapes: the largest square", "[gemm][machine]") {
  check_gemm({512, 512, 512}, 700, 600, 1100);
}
TEST_CASE("array shapes: the smallest square", "[gemm][machine]") { check_gemm({16, 16, 16}, 40, 70, 100); }
TEST_CASE("array shapes: twice as many rows as columns", "[gemm][machine]") {
  check_gemm({256, 128, 256}, 300, 520, 600);
}
TEST_CASE("array shapes: tall and narrow", "[gemm][machine]") { check_gemm({512, 64, 512}, 130, 300, 1025); }
TEST_CASE("array shapes: wide and flat", "[gemm][machine]") { check_gemm({32, 256, 256}, 513, 100, 70); }
TEST_CASE("array shapes: more partitions than the array has rows and columns", "[gemm][machine]") {
  check_gemm({64, 32, 512}, 90, 200, 300);
}
TEST_CASE("array shapes: rows and columns that no partition feeds", "[gemm][machine]") {
  check_gemm({512, 512, 64}, 150, 200, 300);
}
