// SPDX-License-Identifier: Apache-2.0
// The vector addition: golden values, times that do not depend on the mode, and the order of transfers in a
// device profile. A second machine in one case runs in a child process.
#include "workloads/vector_add/vector_add.h"

#include <catch2/catch.hpp>
#include <cmath>

#include "isa/validate/validate.h"
#include "model/base/error.h"
#include "runtime/run/machine.h"
#include "tests/support/program/workload_run.h"
#include "workloads/vector_add/golden_sum.h"
#include "workloads/vector_add/vector_add_kernel.h"

using namespace tahoma;

namespace {

std::unique_ptr<runtime::Workload> with(const tests::Settings& settings) {
  return tests::workload_with(workloads::make_vector_add, settings);
}

void check(const tests::Settings& settings) { tests::check_workload(workloads::make_vector_add, settings); }

runtime::HostTensor tensor(const char* name, isa::DType dtype) {
  return runtime::input("", name, dtype, {4, 100}, 7);
}

}  // namespace

TEST_CASE("vector add: two tiles of fp32 on one core", "[vector_add][machine]") {
  check({{"elements", "256000"}, {"columns", "1000"}, {"dtype", "fp32"}});
}

TEST_CASE("vector add: more tiles than SBUF buffers, in bf16", "[vector_add][machine]") {
  check({{"elements", "512000"}, {"columns", "400"}, {"dtype", "bf16"}});
}

TEST_CASE("vector add: five tiles sharded over three cores, in fp16", "[vector_add][machine]") {
  check({{"elements", "64000"}, {"columns", "100"}, {"dtype", "fp16"}, {"cores", "3"}});
}

// Tiles are rows and columns in HBM; a file holds a vector.
TEST_CASE("vector add: the saved sum is a vector", "[vector_add][machine]") {
  const auto workload = with({{"elements", "25600"}, {"columns", "100"}, {"cores", "2"}});
  const model::MachineParams params = tests::machine_of(1, 1, 1);
  workload->check(params);
  runtime::Machine machine(params, model::Mode::kFunctional, {true, true});
  workload->prepare(machine, 1);
  machine.run();
  CHECK(workload->outputs(machine).at(0).shape == std::vector<std::uint64_t>{25600});
  CHECK(workload->cores_used() == 2);
}

TEST_CASE("vector add: partial tiles and missing cores are refused", "[vector_add]") {
  const model::MachineParams machine = tests::machine_of(1, 1, 1);
  CHECK_THROWS_WITH(with({{"elements", "256001"}})->check(machine),
                    Catch::Contains("E-RUN-068") && Catch::Contains("the nearest number is 256000"));
  CHECK_THROWS_WITH(with({{"elements", "1"}})->check(machine), Catch::Contains("is 128000"));
  CHECK_THROWS_WITH(with({{"cores", "9"}})->check(machine), Catch::Contains("E-RUN-063"));
  CHECK_THROWS_WITH(workloads::vector_add_program(machine, {128, 20'000, isa::DType::kFp32}),
                    Catch::Contains("E-RUN-020") && Catch::Contains("'y'"));
}

// TRACE stream_256k_fd1k: the sync engine rings a0, b0, a1, b1 without waiting; GpSimd stores a sum when the
// vector engine has raised its semaphore, and ends with a wait for each store.
TEST_CASE("vector add: transfers and waits match the device profile", "[vector_add]") {
  const model::MachineParams machine = tests::machine_of(1, 1, 1);
  const isa::Program p = workloads::vector_add_program(machine, {256, 1000, isa::DType::kFp32});
  isa::validate(p, runtime::limits_of(machine));
  const auto& loads = p.stream(isa::Queue::kSync);
  REQUIRE(loads.size() == 4);
  for (std::size_t n = 0; n < 4; ++n) {
    const isa::Descriptor& d = p.descriptors[loads[n].descriptor];
    CHECK(loads[n].wait.kind == isa::Wait::Kind::kNone);
    CHECK(loads[n].ring == loads[0].ring);
    CHECK(d.src.arg == n % 2);
    CHECK(d.src.offset == n / 2 * 128 * 4000);
    CHECK(d.count == std::array<std::uint32_t, 4>{128, 1, 1, 1000});
  }
  CHECK(p.stream(isa::Queue::kVector).size() == 4);  // each sum waits for its two tiles
  const auto& stores = p.stream(isa::Queue::kGpSimd);
  REQUIRE(stores.size() == 4);
  for (std::size_t n = 0; n < 2; ++n) {
    CHECK(stores[n].op == isa::Opcode::kDmaCopy);
    CHECK(stores[n].ring != loads[0].ring);
    CHECK(stores[n + 2].op == isa::Opcode::kSemWait);
    CHECK(stores[n + 2].wait == isa::Wait{isa::Wait::Kind::kGe, stores[n].update.semaphore, 16});
  }
}

TEST_CASE("golden: a sum is the exact sum rounded once", "[golden][vector_add]") {
  const auto made_by = [](std::uint64_t, std::uint64_t) { return std::string("core 0"); };
  const auto a = tensor("a", isa::DType::kFp32), b = tensor("b", isa::DType::kFp32);
  auto y = runtime::make_tensor("y", isa::DType::kFp32, {4, 100});
  auto* values = reinterpret_cast<float*>(y.values.data());
  for (std::uint64_t i = 0; i < 400; ++i) values[i] = a.at(i / 100, i % 100) + b.at(i / 100, i % 100);
  CHECK(workloads::check_sum(a, b, y, made_by).passed());
  values[250] = std::nextafter(values[250], 2.0F);
  const auto wrong = workloads::check_sum(a, b, y, made_by);
  CHECK(!wrong.passed());
  CHECK(wrong.mismatches == 1);
  CHECK_THAT(wrong.first_mismatch, Catch::Contains("[2, 50]"));
}
