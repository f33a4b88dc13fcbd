// SPDX-License-Identifier: Apache-2.0
// The GEMM workload on real machines: golden values, and times that do not depend on the mode. Each run
// elaborates a machine, so a second one in the same case runs in a child process.
#include <catch2/catch.hpp>

#include "runtime/run/machine.h"
#include "tests/support/bench/machine_fixture.h"
#include "tests/support/in_child.h"
#include "workloads/gemm/gemm.h"

using namespace tahoma;

namespace {

struct Case {
  model::MachineParams machine;
  std::vector<std::pair<std::string, std::string>> settings;
};

base::RunMeasurement run(const Case& c, model::Mode mode, runtime::GoldenResult* golden) {
  const auto workload = workloads::make_gemm();
  base::ParamTree tree("workload");
  workload->declare(tree);
  for (const auto& [key, value] : c.settings) tree.set("workload." + key, value, "test");
  workload->check(c.machine);
  runtime::Machine machine(c.machine, mode, {true, true});
  workload->prepare(machine, 1);
  base::RunMeasurement measured = machine.run();
  if (machine.findings().total() > 0) throw std::runtime_error(machine.findings().first().front());
  if (golden != nullptr) *golden = workload->verify(machine);
  return measured;
}

std::int64_t timing_run_in_child(const Case& c) {
  return tests::number_from_child([&] { return run(c, model::Mode::kTiming, nullptr).elapsed.fs; });
}

void check(const Case& c) {
  const std::int64_t timing = timing_run_in_child(c);
  runtime::GoldenResult golden;
  const base::RunMeasurement measured = run(c, model::Mode::kFunctional, &golden);
  INFO(golden.first_mismatch);
  CHECK((golden.checked() && golden.passed()));
  CHECK(measured.elapsed.fs == timing);
}

}  // namespace

TEST_CASE("gemm on a machine: one core, one element", "[gemm][machine]") {
  check({tests::machine_of(1, 1, 1), {{"m", "1"}, {"n", "1"}, {"k", "1"}, {"dtype", "fp32"}}});
}

TEST_CASE("gemm on a machine: one core, edges in every direction", "[gemm][machine]") {
  check({tests::machine_of(1, 1, 1), {{"m", "127"}, {"n", "129"}, {"k", "257"}, {"dtype", "fp16"}}});
}

TEST_CASE("gemm on a machine: K does not fit SBUF", "[gemm][machine]") {
  check({tests::machine_of(1, 1, 1), {{"m", "128"}, {"n", "96"}, {"k", "140000"}}});
}

TEST_CASE("gemm on a machine: a chip shared by m, n and k", "[gemm][machine]") {
  check({tests::machine_of(1, 1, 1),
         {{"m", "300"}, {"n", "200"}, {"k", "500"}, {"shard.m", "2"}, {"shard.n", "2"}, {"shard.k", "2"}}});
}

TEST_CASE("gemm on a machine: partial sums over a ring of chips", "[gemm][machine][collective]") {
  check({tests::machine_of(2, 2, 1),
         {{"m", "257"},
          {"n", "65"},
          {"k", "1030"},
          {"dtype", "fp32"},
          {"shard.m", "2"},
          {"shard.n", "4"},
          {"shard.k", "4"}}});
}

TEST_CASE("gemm on a machine: unequal rows over both collective queues", "[gemm][machine][collective]") {
  check({tests::machine_of(2, 2, 1),
         {{"m", "390"}, {"n", "1100"}, {"k", "260"}, {"shard.n", "2"}, {"shard.k", "4"}}});
}

TEST_CASE("gemm on a machine: unequal rows by halving", "[gemm][machine][collective]") {
  check({tests::machine_of(2, 2, 1),
         {{"m", "390"}, {"n", "650"}, {"k", "260"}, {"shard.k", "4"}, {"algorithm", "recursive"}}});
}

TEST_CASE("gemm on a machine: partial sums of more cores than one transfer folds",
          "[gemm][machine][collective]") {
  check({tests::machine_of(2, 2, 1),
         {{"m", "40"}, {"n", "70"}, {"k", "320"}, {"shard.k", "32"}, {"algorithm", "mesh"}}});
}

TEST_CASE("gemm on a machine: more parts than rows, columns and K", "[gemm][machine][collective]") {
  check({tests::machine_of(2, 2, 1),
         {{"m", "1"}, {"n", "3"}, {"k", "3"}, {"shard.m", "2"}, {"shard.n", "4"}, {"shard.k", "4"}}});
}

TEST_CASE("gemm on a machine: a smaller array and SBUF are supported", "[gemm][machine]") {
  Case c{tests::machine_of(1, 1, 1), {{"m", "200"}, {"n", "300"}, {"k", "400"}, {"shard.n", "2"}}};
  c.machine.chip.core.tensor.rows = c.machine.chip.core.tensor.columns = 64;
  c.machine.chip.core.sbuf.usable = {8192};
  check(c);
}

TEST_CASE("gemm on a machine: the naive nest, edges in every direction", "[gemm][machine]") {
  check({tests::machine_of(1, 1, 1),
         {{"m", "131"}, {"n", "515"}, {"k", "257"}, {"dtype", "fp16"}, {"kernel", "naive"}}});
}

TEST_CASE("gemm on a machine: the blocked nest, edges in every direction", "[gemm][machine]") {
  check({tests::machine_of(1, 1, 1),
         {{"m", "1029"}, {"n", "1027"}, {"k", "131"}, {"dtype", "bf16"}, {"kernel", "blocked"}}});
}

TEST_CASE("gemm on a machine: the nest of row loads, edges in every direction", "[gemm][machine]") {
  check({tests::machine_of(1, 1, 1),
         {{"m", "1029"}, {"n", "1027"}, {"k", "131"}, {"dtype", "fp32"}, {"kernel", "row_loads"}}});
}

TEST_CASE("gemm on a machine: a published nest with partial sums over a ring of chips",
          "[gemm][machine][collective]") {
  check({tests::machine_of(2, 1, 1),
         {{"m", "130"}, {"n", "65"}, {"k", "520"}, {"shard.k", "2"}, {"kernel", "row_loads"}}});
}

TEST_CASE("gemm on a machine: 4096 cubed on one core is within 10 % of silicon and keeps the array busy",
          "[gemm][machine]") {
  // 1,801 us: profile of the published NKI kernel of the same shape with rows of 2 KiB, one trn2 core, HBM to
  // HBM.
  const base::RunMeasurement measured =
      run({tests::machine_of(1, 1, 1), {{"m", "4096"}, {"n", "4096"}, {"k", "4096"}}}, model::Mode::kTiming,
          nullptr);
  const double us = measured.elapsed.ns() / 1e3;
  CHECK(us > 1801 * 0.9);
  CHECK(us < 1801 * 1.1);
  const double peak_us =
      4096.0 * 4096 * 4096 / (128.0 * 128 * 2400);  // multiply-accumulates at one a cycle and cell
  CHECK(peak_us / us > 0.9);
  CHECK(measured.engines.front().active.ns() / measured.elapsed.ns() > 0.96);
}
