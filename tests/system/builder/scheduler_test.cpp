// SPDX-License-Identifier: Apache-2.0
#include "runtime/builder/scheduler.h"

#include <catch2/catch.hpp>
#include <random>

#include "model/base/error.h"
#include "runtime/builder/operations.h"
#include "tests/support/reference/happens_before.h"

using namespace tahoma;
using isa::Queue;
using runtime::Op;

namespace {

constexpr unsigned kNoSignals = isa::kSemaphores;

Op engine_op(std::size_t index, Queue queue) {
  Op op;
  op.queue = queue;
  op.instruction.imm = static_cast<std::int32_t>(index) + 1;
  return op;
}

Op transfer(std::size_t index, Queue queue) {
  Op op;
  op.queue = queue;
  op.instruction.op = isa::Opcode::kDmaCopy;
  op.instruction.descriptor = static_cast<std::uint32_t>(index);
  return op;
}

// Engines and doorbells of all queues on a few small buffers, with partly overlapping rectangles, some of
// them interleaved columns.
std::vector<Op> random_kernel(std::uint32_t seed, std::size_t length, std::uint32_t buffers) {
  std::mt19937 random(seed);
  const auto below = [&](std::uint32_t n) { return static_cast<std::uint32_t>(random() % n); };
  std::vector<Op> ops;
  for (std::size_t i = 0; i < length; ++i) {
    const bool dma = below(3) == 0;
    const auto queue = static_cast<Queue>(dma ? 1 + below(6) : below(5));
    Op op = dma ? transfer(i, queue) : engine_op(i, queue);
    const std::uint32_t accesses = 1 + below(3);
    for (std::uint32_t a = 0; a < accesses; ++a) {
      const std::uint32_t row = below(3) * 64, byte = below(4);
      runtime::Region region{below(buffers), row, 1 + below(192), byte, 1U + below(4)};
      if (below(3) == 0) {
        region.step = 2 + below(3);
        region.width = 1 + below(static_cast<std::uint32_t>(region.step));
        region.bytes = region.step * below(4) + region.width;
      }
      op.touch(region, below(2) == 0);
    }
    ops.push_back(op);
  }
  return ops;
}

isa::Program scheduled(const std::vector<Op>& ops) {
  isa::Program program;
  runtime::schedule(runtime::Operations(ops), kNoSignals, program);
  return program;
}

std::vector<isa::Instruction*> waits_of(isa::Program& program) {
  std::vector<isa::Instruction*> found;
  for (auto& stream : program.streams)
    for (isa::Instruction& i : stream)
      if (i.wait.kind != isa::Wait::Kind::kNone) found.push_back(&i);
  return found;
}

}  // namespace

TEST_CASE("scheduler: every conflicting pair is ordered by the semaphores alone", "[scheduler]") {
  for (std::uint32_t seed = 0; seed < 60; ++seed) {
    const std::vector<Op> ops = random_kernel(seed, 20 + seed, 2 + seed % 7);
    INFO("seed " << seed);
    const auto race = tests::find_race(ops, scheduled(ops));
    INFO(race.value_or("no race"));
    CHECK_FALSE(race);
  }
}

TEST_CASE("scheduler: slots of one queue are reused safely", "[scheduler]") {
  std::vector<Op> ops;
  for (std::size_t i = 0; i < 3 * runtime::kDmaSlots; ++i) {
    ops.push_back(transfer(ops.size(), Queue::kSync));
    ops.back().touch({static_cast<std::uint32_t>(i % 5), 0, 128, 0, 64}, true);
    ops.push_back(engine_op(ops.size(), i % 2 == 0 ? Queue::kVector : Queue::kScalar));
    ops.back().touch({static_cast<std::uint32_t>(i % 5), 0, 128, 0, 64}, false);
  }
  CHECK_FALSE(tests::find_race(ops, scheduled(ops)));
}

TEST_CASE("scheduler: a removed wait is found", "[scheduler]") {
  // Chains in which no wait follows from another: removing any of them must leave a race.
  std::vector<Op> ops;
  const Queue queues[] = {Queue::kTensor, Queue::kVector, Queue::kScalar, Queue::kGpSimd};
  for (std::size_t i = 0; i < 12; ++i) {
    ops.push_back(i % 3 == 2 ? transfer(i, Queue::kSync) : engine_op(i, queues[i % 4]));
    ops.back().touch({7, 0, 128, 0, 64}, true);
  }
  const isa::Program whole = scheduled(ops);
  REQUIRE_FALSE(tests::find_race(ops, whole));
  isa::Program probe = whole;
  const std::size_t count = waits_of(probe).size();
  REQUIRE(count == 11);
  for (std::size_t w = 0; w < count; ++w) {
    isa::Program broken = whole;
    waits_of(broken)[w]->wait = {};
    INFO("wait " << w << " removed");
    CHECK(tests::find_race(ops, broken));
  }
}

TEST_CASE("scheduler: random kernels lose their order when a dependency's wait is removed", "[scheduler]") {
  std::size_t races = 0, removed = 0;
  for (std::uint32_t seed = 100; seed < 106; ++seed) {
    const std::vector<Op> ops = random_kernel(seed, 24, 3);
    isa::Program whole = scheduled(ops);
    const std::size_t count = waits_of(whole).size();
    for (std::size_t w = 0; w < count; ++w) {
      isa::Program broken = whole;
      waits_of(broken)[w]->wait = {};
      ++removed;
      races += tests::find_race(ops, broken).has_value() ? 1 : 0;
    }
  }
  // Waits are pruned if others imply them, so hardly any is redundant.
  CHECK(removed > 50);
  CHECK(races * 10 >= removed * 9);
}

TEST_CASE("scheduler: interleaved columns do not overlap, others in their range do", "[scheduler]") {
  const auto column = [](std::uint64_t first, std::uint64_t width) {
    return runtime::Region{1, 0, 128, first, 8 * 18 + width, 18, width};
  };
  const runtime::Region solid{1, 0, 128, 0, 200}, other_step{1, 0, 128, 2, 100, 20, 2};
  CHECK_FALSE(column(0, 2).overlaps(column(2, 2)));
  CHECK_FALSE(column(16, 2).overlaps(column(0, 2)));
  CHECK(column(0, 4).overlaps(column(2, 2)));
  CHECK(column(16, 4).overlaps(column(0, 2)));  // reaches into the next step
  CHECK(column(2, 2).overlaps(column(20, 2)));  // the same column, starting at its second element
  CHECK(column(2, 2).overlaps(solid));
  CHECK(column(2, 2).overlaps(other_step));
  CHECK(solid.contains(column(2, 2)));
  CHECK(column(2, 4).contains(runtime::Region{1, 0, 128, 22, 18 + 2, 18, 2}));
  CHECK_FALSE(column(2, 2).contains(column(0, 2)));
  CHECK_FALSE(column(2, 2).contains(runtime::Region{1, 0, 128, 2, 20}));
}

TEST_CASE("scheduler: an ordering that others imply costs no wait", "[scheduler]") {
  std::vector<Op> ops{transfer(0, Queue::kSync), engine_op(1, Queue::kTensor), engine_op(2, Queue::kVector),
                      engine_op(3, Queue::kVector)};
  ops[0].touch({1, 0, 1, 0, 4}, true);
  ops[1].touch({1, 0, 1, 0, 4}, false);
  ops[1].touch({2, 0, 1, 0, 4}, true);
  ops[2].touch({2, 0, 1, 0, 4}, false);
  ops[2].touch({1, 0, 1, 0, 4}, false);  // the transfer: implied by the tensor engine's completion
  ops[3].touch({2, 0, 1, 0, 4}, false);  // already known
  isa::Program program = scheduled(ops);
  CHECK(waits_of(program).size() == 2);
  CHECK_FALSE(tests::find_race(ops, program));
}

TEST_CASE("scheduler: only engine instructions with a waiter raise a semaphore", "[scheduler]") {
  std::vector<Op> ops{engine_op(0, Queue::kVector), engine_op(1, Queue::kVector),
                      engine_op(2, Queue::kScalar)};
  ops[0].touch({1, 0, 1, 0, 4}, true);
  ops[1].touch({2, 0, 1, 0, 4}, true);
  ops[2].touch({2, 0, 1, 0, 4}, false);
  const isa::Program program = scheduled(ops);
  CHECK(program.stream(Queue::kVector)[0].update.kind == isa::Update::Kind::kNone);
  CHECK(program.stream(Queue::kVector)[1].update.kind == isa::Update::Kind::kAdd);
  CHECK(program.stream(Queue::kScalar)[0].wait.value == 1);
}

TEST_CASE("scheduler: writing data that a send may still read is refused", "[scheduler]") {
  std::vector<Op> ops{transfer(0, Queue::kCc0), transfer(1, Queue::kCc0)};
  ops[0].instruction.notify_arg = 3;
  ops[0].instruction.update = {isa::Update::Kind::kAdd, 255, 1};
  ops[0].touch({1, 0, 8, 0, 64}, false);
  ops[1].touch({1, 4, 8, 0, 64}, true);
  isa::Program program;
  CHECK_THROWS_WITH(runtime::schedule(runtime::Operations(ops), 250, program), Catch::Contains("E-RUN-022"));
}

// A read that the program can wait for does not stand for that of a send, whichever came first.
TEST_CASE("scheduler: data that a send may still read are refused to writers, also if others read them",
          "[scheduler]") {
  for (const std::size_t send : {0U, 1U}) {
    std::vector<Op> ops(2);
    ops[send] = transfer(send, Queue::kCc0);
    ops[1 - send] = engine_op(1 - send, Queue::kVector);
    ops.push_back(transfer(2, Queue::kCc0));
    ops[send].instruction.notify_arg = 3;
    ops[send].instruction.update = {isa::Update::Kind::kAdd, 255, 1};
    for (std::size_t i = 0; i < ops.size(); ++i) ops[i].touch({1, 0, 8, 0, 64}, i == 2);
    isa::Program program;
    CHECK_THROWS_WITH(runtime::schedule(runtime::Operations(ops), 250, program),
                      Catch::Contains("E-RUN-022"));
  }
}

TEST_CASE("scheduler: running out of semaphores is an error", "[scheduler]") {
  const std::vector<Op> ops{transfer(0, Queue::kCc0)};
  isa::Program program;
  CHECK_THROWS_WITH(
      runtime::schedule(runtime::Operations(ops), isa::kQueueCount + runtime::kDmaSlots - 1, program),
      Catch::Contains("E-RUN-023"));
  CHECK_NOTHROW(runtime::schedule(runtime::Operations(ops), isa::kQueueCount + runtime::kDmaSlots, program));
}

TEST_CASE("scheduler: a kernel of 100,000 operations is scheduled", "[scheduler]") {
  // Double-buffered tiles, as in a kernel. The benchmark scheduler_growth shows the cost of the length.
  std::vector<Op> ops;
  for (std::uint32_t i = 0; i < 100'000; ++i) {
    ops.push_back(i % 4 == 0 ? transfer(i, Queue::kSync) : engine_op(i, static_cast<Queue>(i % 4 - 1)));
    ops.back().touch({40 + i / 4 % 2, 0, 128, 0, 2048}, i % 4 < 2);
    if (i % 4 == 3) ops.back().touch({1, i / 4 * 128, 128, 0, 4096}, true);
  }
  const isa::Program program = scheduled(ops);
  CHECK(program.stream(Queue::kSync).size() >= 25'000);
}
