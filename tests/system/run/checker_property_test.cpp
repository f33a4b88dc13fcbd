// SPDX-License-Identifier: Apache-2.0
// Compares the checker with an independent one. Random kernels go through the scheduler; their streams are
// then executed in a random legal order, with and without one of their waits, under the checker. Its findings
// must agree with those that tests/support/happens_before derives from the streams alone, in every order.
#include <array>
#include <catch2/catch.hpp>
#include <deque>
#include <random>

#include "isa/core/program.h"
#include "model/check/race_checker.h"
#include "runtime/builder/operations.h"
#include "runtime/builder/scheduler.h"
#include "tests/support/reference/happens_before.h"

using namespace tahoma;
using isa::Queue;
using runtime::Op;
namespace watch = model::check;

namespace {

struct Random {
  std::mt19937 engine;
  std::uint32_t below(std::size_t n) { return static_cast<std::uint32_t>(engine() % n); }
};

// Engines and doorbells of all queues over a few small buffers, with partly overlapping rectangles. Every
// transfer of a queue has its own ring: the independent checker knows of no order inside a ring.
std::vector<Op> random_kernel(std::uint32_t seed, std::size_t length, std::uint32_t buffers) {
  Random random{std::mt19937(seed)};
  std::array<std::uint8_t, isa::kQueueCount> transfers{};
  std::vector<Op> ops(length);
  for (std::size_t i = 0; i < length; ++i) {
    Op& op = ops[i];
    bool dma = random.below(3) == 0;
    op.queue = static_cast<Queue>(dma ? 1 + random.below(6) : random.below(5));
    std::uint8_t& ring = transfers[static_cast<std::size_t>(op.queue)];
    if (dma && ring == 16) dma = false;
    if (op.queue > Queue::kSync && !dma) op.queue = Queue::kVector;
    op.instruction.op = dma ? isa::Opcode::kDmaCopy : isa::Opcode::kMemset;
    if (dma) {
      op.instruction.descriptor = static_cast<std::uint32_t>(i);
      op.instruction.ring = ring++;
    } else {
      op.instruction.imm = static_cast<std::int32_t>(i) + 1;
    }
    const std::uint32_t accesses = 1 + random.below(dma ? 2 : 3);
    for (std::uint32_t a = 0; a < accesses; ++a)
      op.touch({random.below(buffers), random.below(3) * 64, 1 + random.below(192), random.below(4),
                1U + random.below(4)},
               random.below(2) == 0);
  }
  return ops;
}

isa::OperandAccess access_of(const runtime::Access& a) {
  constexpr std::uint32_t kRowBytes = 16;
  isa::OperandAccess access;
  access.pattern.space = isa::Space::kHbm;
  access.pattern.offset = (std::uint64_t{a.region.buffer} << 21) + a.region.row * kRowBytes + a.region.byte;
  access.pattern.count = {1, 1, a.region.rows, static_cast<std::uint32_t>(a.region.bytes)};
  access.pattern.stride = {0, 0, kRowBytes, 1};
  access.reads = !a.write;
  access.writes = a.write;
  return access;
}

// Starts instructions whose waits are satisfied, and completes those of an engine in order and the 16 shares
// of each transfer one by one: one of the possible actions at every step, at random.
class Execution {
 public:
  Execution(const std::vector<Op>& ops, const isa::Program& program, std::uint32_t seed)
      : ops_(ops),
        program_(program),
        random_{std::mt19937(seed)},
        checker_({true, false}, {1, 4, [](std::uint32_t) { return std::string("core"); }}) {
    checker_.load(0, program);
    while (step()) {
    }
  }
  const watch::Findings& findings() const { return checker_.findings(); }

 private:
  struct Flight {
    const isa::Instruction* instruction;
    unsigned shares;
  };

  bool step() {
    std::vector<std::size_t> ready, completing;
    for (std::size_t q = 0; q < isa::kQueueCount; ++q) {
      if (next_[q] < program_.streams[q].size() && satisfied(program_.streams[q][next_[q]].wait))
        ready.push_back(q);
      if (!computing_[q].empty()) completing.push_back(q);
    }
    const std::size_t actions = ready.size() + completing.size() + flying_.size();
    if (actions == 0) return false;
    std::size_t choice = random_.below(actions);
    if (choice < ready.size()) {
      start(ready[choice]);
    } else if ((choice -= ready.size()) < completing.size()) {
      std::deque<const isa::Instruction*>& queue = computing_[completing[choice]];
      raise(*queue.front());
      queue.pop_front();
    } else {
      Flight& flight = flying_[choice - completing.size()];
      raise(*flight.instruction);
      if (--flight.shares == 0)
        flying_.erase(flying_.begin() + static_cast<std::ptrdiff_t>(choice - completing.size()));
    }
    return true;
  }

  bool satisfied(const isa::Wait& wait) const {
    return wait.kind == isa::Wait::Kind::kNone || semaphores_[wait.semaphore] >= wait.value;
  }
  void raise(const isa::Instruction& i) {
    if (i.update.kind != isa::Update::Kind::kNone) semaphores_[i.update.semaphore] += i.update.value;
  }

  void start(std::size_t q) {
    const auto index = static_cast<std::uint32_t>(next_[q]++);
    const isa::Instruction& i = program_.streams[q][index];
    const watch::Step step{0, static_cast<Queue>(q), index, &i, base::Time{++clock_}, i.wait.value};
    std::vector<isa::OperandAccess> accesses;
    if (i.op != isa::Opcode::kSemWait) {
      const Op& op = ops_[i.op == isa::Opcode::kDmaCopy ? i.descriptor : static_cast<std::size_t>(i.imm) - 1];
      for (const runtime::Access& a : op.accesses) accesses.push_back(access_of(a));
    }
    if (i.op == isa::Opcode::kDmaCopy) {
      checker_.ring(step, {accesses, 0, 0, false});
      flying_.push_back({&i, isa::kDmaEngines});
    } else {
      checker_.start(step, accesses);
      computing_[q].push_back(&i);
    }
  }

  const std::vector<Op>& ops_;
  const isa::Program& program_;
  Random random_;
  watch::RaceChecker checker_;
  std::array<std::size_t, isa::kQueueCount> next_{};
  std::array<std::deque<const isa::Instruction*>, isa::kQueueCount> computing_;
  std::array<std::uint32_t, isa::kSemaphores> semaphores_{};
  std::vector<Flight> flying_;
  std::int64_t clock_ = 0;
};

isa::Program scheduled(const std::vector<Op>& ops) {
  isa::Program program;
  runtime::schedule(runtime::Operations(ops), isa::kSemaphores, program);
  return program;
}

std::vector<isa::Instruction*> waits_of(isa::Program& program) {
  std::vector<isa::Instruction*> found;
  for (auto& stream : program.streams)
    for (isa::Instruction& i : stream)
      if (i.wait.kind != isa::Wait::Kind::kNone) found.push_back(&i);
  return found;
}

std::string first_of(const watch::Findings& findings) {
  return findings.first().empty() ? "nothing found" : findings.first().front();
}

constexpr std::uint32_t kOrders = 3;

}  // namespace

TEST_CASE("checker: scheduled kernels raise no alarm in any order", "[check]") {
  for (std::uint32_t seed = 0; seed < 200; ++seed) {
    const std::vector<Op> ops = random_kernel(seed, 20 + seed % 90, 2 + seed % 7);
    const isa::Program program = scheduled(ops);
    for (std::uint32_t order = 0; order < kOrders; ++order) {
      const Execution run(ops, program, order);
      INFO("seed " << seed << ", order " << order << ": " << first_of(run.findings()));
      CHECK(run.findings().total() == 0);
    }
  }
}

TEST_CASE("checker: a removed wait is found exactly if the reference finds a race", "[check]") {
  std::size_t races = 0, harmless = 0, doubts = 0;
  for (std::uint32_t seed = 100; seed < 400; ++seed) {
    const std::vector<Op> ops = random_kernel(seed, 26, 2 + seed % 4);
    isa::Program whole = scheduled(ops);
    const std::size_t count = waits_of(whole).size();
    for (std::size_t w = 0; w < count; ++w) {
      isa::Program broken = whole;
      waits_of(broken)[w]->wait = {};
      const auto judged = tests::find_race(ops, broken);
      (judged ? races : harmless) += 1;
      for (std::uint32_t order = 0; order < kOrders; ++order) {
        const Execution run(ops, broken, seed * 1000 + order);
        INFO("seed " << seed << ", wait " << w << ", order " << order << "\njudge: "
                     << judged.value_or("no race") << "\nchecker: " << first_of(run.findings()));
        if (judged) {
          CHECK(run.findings().total() > 0);
        } else {
          CHECK(run.findings().found(watch::Kind::kRace) == 0);
          doubts += run.findings().total() > 0;
        }
      }
    }
  }
  INFO(races << " races, " << harmless << " harmless, " << doubts << " doubts");
  CHECK(races > 200);
  CHECK(doubts == 0);
}
