// SPDX-License-Identifier: Apache-2.0
#include "runtime/builder/kernel.h"

#include <algorithm>
#include <catch2/catch.hpp>

#include "isa/validate/validate.h"
#include "model/base/error.h"
#include "runtime/run/machine.h"
#include "tests/support/bench/machine_fixture.h"
#include "tests/support/reference/event_orders.h"
#include "tests/support/reference/reference_gemm.h"

using namespace tahoma;
using isa::DType;
using isa::Queue;
using runtime::HbmView;
using runtime::Kernel;
using runtime::TileView;

namespace {

std::size_t count_of(const isa::Program& program, isa::Opcode op) {
  std::size_t count = 0;
  for (const auto& stream : program.streams)
    count += static_cast<std::size_t>(
        std::count_if(stream.begin(), stream.end(), [&](const isa::Instruction& i) { return i.op == op; }));
  return count;
}

}  // namespace

TEST_CASE("kernel: double-buffered tiles give the same result for every order of events", "[kernel]") {
  constexpr std::size_t kRows = 24, kColumns = 40, kBlocks = 9;
  const model::MachineParams machine = tests::default_machine();
  Kernel kernel("scale_add", machine);
  const HbmView x = kernel.argument("x", DType::kFp32, kRows * kBlocks, kColumns);
  const HbmView y = kernel.argument("y", DType::kFp32, kRows * kBlocks, kColumns);
  const runtime::Pool in = kernel.sbuf("in", DType::kFp32, kColumns, 2),
                      out = kernel.sbuf("out", DType::kFp32, kColumns, 2);
  for (std::size_t block = 0; block < kBlocks; ++block) {
    const TileView a = kernel.take(in, kRows, kColumns), b = kernel.take(out, kRows, kColumns);
    kernel.load(a, x.window(block * kRows, 0, kRows, kColumns));
    kernel.tensor_scalar(b, a, isa::AluOp::kMult, {2.0F}, isa::AluOp::kAdd, {1.0F},
                         block % 2 == 0 ? Queue::kVector : Queue::kScalar);
    kernel.tensor_tensor(b, b, a, isa::AluOp::kAdd, block % 3 == 0 ? Queue::kVector : Queue::kGpSimd);
    kernel.store(y.window(block * kRows, 0, kRows, kColumns), b,
                 block % 2 == 0 ? Queue::kSync : Queue::kGpSimd);
  }
  const auto program = std::make_shared<const isa::Program>(kernel.finish());
  CHECK_NOTHROW(isa::validate(*program, runtime::limits_of(machine)));
  const auto values = tests::random_values(kRows * kBlocks * kColumns, DType::kFp32, 3);
  for (std::uint32_t seed = 0; seed < 20; ++seed) {
    const auto got = tests::in_some_order(machine, seed, program, values);
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < got.size(); ++i)
      wrong += got[i] == (values[i] * 2.0F + 1.0F) + values[i] ? 0 : 1;
    INFO("seed " << seed);
    REQUIRE(wrong == 0);
  }
}

TEST_CASE("kernel: weights are loaded once for consecutive matmuls and again after their tile was written",
          "[kernel]") {
  Kernel kernel("weights", tests::default_machine());
  const runtime::Pool sbuf = kernel.sbuf("w", DType::kBf16, 128, 2),
                      psum = kernel.psum("p", DType::kFp32, 128, 1);
  const TileView w = kernel.take(sbuf, 128, 128), x = kernel.take(sbuf, 128, 128),
                 p = kernel.take(psum, 128, 128);
  kernel.memset(w, 1.0F);
  kernel.memset(x, 2.0F);
  kernel.matmul(p, w, x, false);
  kernel.matmul(p, w, x, true);
  kernel.memset(w, 3.0F);
  kernel.matmul(p, w, x, true);
  kernel.matmul(p.partitions(0, 64), w.columns(0, 64), x, true);
  const isa::Program program = kernel.finish();
  CHECK(count_of(program, isa::Opcode::kMatmul) == 4);
  CHECK(count_of(program, isa::Opcode::kLoadWeights) == 3);
}

TEST_CASE("kernel: a matrix's windows conflict only if they overlap", "[kernel]") {
  Kernel kernel("columns", tests::default_machine());
  const HbmView c = kernel.argument("c", DType::kFp32, 256, 512);
  const runtime::Pool pool = kernel.sbuf("t", DType::kFp32, 256, 2);
  const TileView a = kernel.take(pool, 128, 256), b = kernel.take(pool, 128, 256);
  kernel.store(c.window(0, 0, 128, 256), a, Queue::kSync);
  kernel.store(c.window(0, 256, 128, 256), b, Queue::kGpSimd);   // other columns: no wait
  kernel.store(c.window(64, 128, 128, 256), b, Queue::kScalar);  // overlaps both
  const isa::Program program = kernel.finish();
  CHECK(program.stream(Queue::kGpSimd).front().wait.kind == isa::Wait::Kind::kNone);
  CHECK(program.stream(Queue::kScalar).size() == 2);  // one wait of its own, one on the transfer
}

TEST_CASE("kernel: signals count down from the last semaphore", "[kernel]") {
  Kernel kernel("signals", tests::default_machine());
  CHECK(kernel.signal().semaphore == 255);
  CHECK(kernel.signal().semaphore == 254);
}

TEST_CASE("kernel: exhausted memory is refused with the remaining size", "[kernel]") {
  Kernel kernel("greedy", tests::default_machine());
  kernel.sbuf("half", DType::kFp32, 26'000);
  CHECK_THROWS_WITH(kernel.sbuf("more", DType::kFp32, 40'000),
                    Catch::Contains("E-RUN-020") && Catch::Contains("'more'") && Catch::Contains("left"));
  CHECK_NOTHROW(kernel.psum("banks", DType::kFp32, 512, 8));
  CHECK_THROWS_WITH(kernel.psum("one", DType::kFp32, 1), Catch::Contains("E-RUN-020"));
}

TEST_CASE("kernel: operands whose shapes disagree are refused", "[kernel]") {
  Kernel kernel("shapes", tests::default_machine());
  const HbmView m = kernel.argument("m", DType::kFp32, 64, 64);
  const runtime::Pool pool = kernel.sbuf("t", DType::kFp32, 64, 4), sums = kernel.psum("p", DType::kFp32, 64);
  const TileView a = kernel.take(pool, 64, 64), b = kernel.take(pool, 32, 64), p = kernel.take(sums, 64, 64);
  const auto wrong = Catch::Contains("E-RUN-021");
  CHECK_THROWS_WITH(kernel.copy(a, b), wrong);
  CHECK_THROWS_WITH(kernel.load(b, m), wrong);
  CHECK_THROWS_WITH(kernel.store(m, b), wrong);
  CHECK_THROWS_WITH(kernel.move(m, m.window(0, 0, 32, 64), Queue::kSync), wrong);
  CHECK_THROWS_WITH(kernel.matmul(p, a, b, false), wrong);
  CHECK_THROWS_WITH(kernel.reduce(a, a, isa::AluOp::kAdd), wrong);
  CHECK_THROWS_WITH(a.partitions(32, 33), wrong);
  CHECK_THROWS_WITH(a.columns(0, 65), wrong);
  CHECK_THROWS_WITH(m.window(0, 1, 1, 64), wrong);
  CHECK_THROWS_WITH(kernel.take(pool, 129, 1), wrong);
}

TEST_CASE("kernel: more arguments or signals than there are is an error", "[kernel]") {
  Kernel kernel("many", tests::default_machine());
  for (unsigned i = 0; i < isa::kArguments; ++i) kernel.core_argument("c" + std::to_string(i));
  CHECK_THROWS_WITH(kernel.core_argument("last"), Catch::Contains("E-RUN-023"));
  for (unsigned i = 0; i < isa::kSemaphores; ++i) kernel.signal();
  CHECK_THROWS_WITH(kernel.signal(), Catch::Contains("E-RUN-023"));
}
