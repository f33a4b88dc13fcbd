// SPDX-License-Identifier: Apache-2.0
// The public interface of the runtime on a real machine. Each case elaborates one machine, so each needs its
// own process.
#include <catch2/catch.hpp>

#include "model/base/error.h"
#include "runtime/builder/kernel.h"
#include "runtime/run/machine.h"
#include "tests/support/bench/machine_fixture.h"
#include "tests/support/reference/reference_gemm.h"

using namespace tahoma;
using runtime::Machine;

TEST_CASE("machine: a tensor that its HBM stack cannot hold is refused with the remaining size",
          "[machine]") {
  model::MachineParams params = tests::machine_of(1, 1, 1);
  params.chip.hbm.capacity = {1 << 20};
  Machine machine(params, model::Mode::kTiming);
  machine.allocate(0, "half", isa::DType::kFp32, {1 << 17});
  CHECK_NOTHROW(machine.allocate(2, "other_stack", isa::DType::kFp32, {1 << 18}));
  CHECK_THROWS_WITH(
      machine.allocate(1, "too_much", isa::DType::kFp32, {(1 << 17) + 1}),
      Catch::Contains("E-RUN-010") && Catch::Contains("'too_much'") && Catch::Contains("524288"));
  CHECK_NOTHROW(machine.allocate(1, "fits", isa::DType::kFp32, {1 << 17}));
}

TEST_CASE("machine: a failed channel loses its share of the stack, and the error explains it", "[machine]") {
  model::MachineParams params = tests::machine_of(1, 1, 1);
  params.chip.hbm.capacity = {1 << 20};
  params.instances.stacks["server0.chip00.hbm0"].failed_channels = "3,7,8,9";  // a quarter of 16
  Machine machine(params, model::Mode::kTiming);
  CHECK_NOTHROW(machine.allocate(2, "sound", isa::DType::kFp32, {1 << 18}));
  CHECK_THROWS_WITH(
      machine.allocate(0, "too_much", isa::DType::kFp32, {1 << 18}),
      Catch::Contains("E-RUN-010") && Catch::Contains("786432 of 786432 are left in stack 0 of chip 0 whose "
                                                      "channels 3,7,8,9 of 16 have failed"));
  CHECK_NOTHROW(machine.allocate(0, "fits", isa::DType::kFp32, {3 << 16}));
}

TEST_CASE("machine: a dead chip holds no tensor, and is named with it", "[machine]") {
  model::MachineParams params = tests::machine_of(2, 1, 1);
  params.instances.chips["server0.chip01"].dead = true;
  Machine machine(params, model::Mode::kTiming);
  CHECK_NOTHROW(machine.allocate(7, "sound", isa::DType::kFp32, {64}));
  CHECK_THROWS_WITH(
      machine.allocate(8, "lost", isa::DType::kFp32, {64}),
      Catch::StartsWith("machine.instances.server0.chip01.dead: error[E-RUN-055]: core 8 has tensor 'lost'"));
}

TEST_CASE("machine: tensors of one stack do not overlap and start at multiples of 64 bytes", "[machine]") {
  Machine machine(tests::machine_of(1, 1, 1), model::Mode::kTiming);
  std::uint64_t end = 0;
  for (const std::uint64_t elements : {1, 31, 33, 1000}) {
    const runtime::Tensor t = machine.allocate(elements % 2 == 0 ? 0 : 1, "t", isa::DType::kBf16, {elements});
    CHECK(t.address % 64 == 0);
    CHECK(t.address >= end);
    end = t.address + t.bytes();
  }
}

TEST_CASE("machine: a program needs exactly its arguments", "[machine]") {
  Machine machine(tests::machine_of(1, 1, 1), model::Mode::kTiming);
  auto program = std::make_shared<isa::Program>();
  program->args = {"x", "y"};
  CHECK_THROWS_WITH(machine.load(0, program, {1}), Catch::Contains("E-RUN-011") && Catch::Contains("x, y"));
}

TEST_CASE("machine: a kernel's values come back from HBM", "[machine]") {
  Machine machine(tests::machine_of(1, 1, 1), model::Mode::kFunctional);
  runtime::Kernel kernel("twice", machine.params());
  const runtime::HbmView x = kernel.argument("x", isa::DType::kFp32, 64, 32);
  const runtime::TileView t = kernel.take(kernel.sbuf("t", isa::DType::kFp32, 32), 64, 32);
  kernel.load(t, x);
  kernel.tensor_scalar(t, t, isa::AluOp::kMult, {2.0F});
  kernel.store(x, t);
  const runtime::Tensor tensor = machine.allocate(3, "x", isa::DType::kFp32, {64, 32});
  const auto values = tests::random_values(std::size_t{64} * 32, isa::DType::kFp32, 1);
  tests::store_all(machine.bytes(tensor), values, isa::DType::kFp32);
  machine.load(3, std::make_shared<const isa::Program>(kernel.finish()), {tensor.address});
  machine.run();
  std::vector<std::byte> got(tensor.bytes());
  machine.read(tensor, got);
  for (std::size_t i = 0; i < values.size(); ++i)
    REQUIRE(isa::load_as_fp32(&got[4 * i], isa::DType::kFp32) == 2 * values[i]);
}
