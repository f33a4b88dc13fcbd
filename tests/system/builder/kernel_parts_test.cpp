// SPDX-License-Identifier: Apache-2.0
// Kernels of several parts: scopes of on-chip memory, data from other cores, rendezvous of two cores.
#include <algorithm>
#include <catch2/catch.hpp>

#include "model/base/error.h"
#include "runtime/builder/kernel.h"
#include "tests/support/bench/machine_fixture.h"
#include "tests/support/reference/event_orders.h"

using namespace tahoma;
using isa::DType, isa::Queue;
using runtime::HbmView, runtime::Kernel, runtime::TileView;

namespace {

const isa::Instruction& first_of(const isa::Program& program, Queue queue, isa::Opcode op) {
  const auto& stream = program.stream(queue);
  const auto found =
      std::find_if(stream.begin(), stream.end(), [&](const isa::Instruction& i) { return i.op == op; });
  REQUIRE(found != stream.end());
  return *found;
}

}  // namespace

TEST_CASE("kernel: the memory of a scope is there again behind it, and keeps its dependencies", "[kernel]") {
  constexpr std::size_t kRows = 128, kColumns = 64, kParts = 7;
  const model::MachineParams machine = tests::default_machine();
  const auto all = static_cast<unsigned>(machine.chip.core.sbuf.usable.count / 4);  // columns of fp32
  Kernel kernel("parts", machine);
  const HbmView x = kernel.argument("x", DType::kFp32, kRows * kParts, kColumns),
                y = kernel.argument("y", DType::kFp32, kRows * kParts, kColumns);
  for (std::size_t p = 0; p < kParts; ++p) {
    const Kernel::Scope scope(kernel);  // each part has all of SBUF
    // The sizes differ, so that tiles of one part overlap those of another.
    const TileView a = kernel.take(kernel.sbuf("a", DType::kFp32, all / 2 + 16 * static_cast<unsigned>(p)),
                                   kRows, kColumns),
                   b = kernel.take(kernel.sbuf("b", DType::kFp32, all / 4), kRows, kColumns);
    kernel.load(a, x.window(p * kRows, 0, kRows, kColumns));
    kernel.tensor_scalar(b, a, isa::AluOp::kMult, {3.0F, nullptr}, isa::AluOp::kBypass, {},
                         p % 2 == 0 ? Queue::kVector : Queue::kScalar);
    kernel.store(y.window(p * kRows, 0, kRows, kColumns), b, Queue::kGpSimd);
  }
  CHECK_THROWS_AS((kernel.sbuf("too much", DType::kFp32, all + 16)), base::UserError);
  const auto program = std::make_shared<const isa::Program>(kernel.finish());
  const auto values = tests::random_values(kRows * kParts * kColumns, DType::kFp32, 5);
  for (std::uint32_t seed = 0; seed < 20; ++seed) {
    const auto got = tests::in_some_order(machine, seed, program, values);
    CHECK(std::equal(got.begin(), got.end(), values.begin(), [](float g, float v) { return g == 3.0F * v; }));
  }
}

TEST_CASE("kernel: a user of a window waits for its landing, which itself does not wait", "[kernel]") {
  Kernel kernel("landing", tests::default_machine());
  const HbmView x = kernel.argument("x", DType::kFp32, 128, 64);
  const runtime::Pool tiles = kernel.sbuf("tile", DType::kFp32, 64, 2);
  kernel.load(kernel.take(tiles, 128, 64), x);  // the previous contents
  const runtime::Signal signal = kernel.signal();
  kernel.landed(Queue::kCc0, x, signal, 32);
  kernel.load(kernel.take(tiles, 128, 64), x);
  const isa::Program program = kernel.finish();
  const auto& landing = program.stream(Queue::kCc0);
  REQUIRE(landing.size() == 1);
  CHECK(landing.front().wait.semaphore == signal.semaphore);
  CHECK(landing.front().wait.value == 32);
  CHECK(landing.front().update.kind == isa::Update::Kind::kAdd);
  const isa::Instruction& again = program.stream(Queue::kSync).back();
  CHECK(again.op == isa::Opcode::kDmaCopy);
  CHECK(again.wait.semaphore == landing.front().update.semaphore);
}

TEST_CASE("kernel: two cores synchronise after their own stores and before the other's are read",
          "[kernel]") {
  Kernel kernel("meeting", tests::default_machine());
  const HbmView own = kernel.argument("own", DType::kFp32, 128, 64),
                theirs = kernel.argument("theirs", DType::kFp32, 128, 64);
  const runtime::Pool tiles = kernel.sbuf("tile", DType::kFp32, 64, 2);
  const TileView made = kernel.take(tiles, 128, 64);
  kernel.memset(made, 1);
  kernel.store(own, made, Queue::kScalar);
  kernel.rendezvous(Queue::kGpSimd, 3, {own}, {theirs});
  kernel.load(kernel.take(tiles, 128, 64), theirs);
  const isa::Program program = kernel.finish();
  const isa::Instruction &meeting = first_of(program, Queue::kGpSimd, isa::Opcode::kCoreBarrier),
                         &store = first_of(program, Queue::kScalar, isa::Opcode::kDmaCopy),
                         &load = first_of(program, Queue::kSync, isa::Opcode::kDmaCopy);
  CHECK(meeting.pipe == 3);
  CHECK(meeting.wait.semaphore == store.update.semaphore);
  CHECK(load.wait.semaphore == meeting.update.semaphore);
}
