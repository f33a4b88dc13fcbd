// SPDX-License-Identifier: Apache-2.0
// The critical path of chains whose dependent instructions are known.
#include "report/path/critical_path.h"

#include <catch2/catch.hpp>
#include <map>

#include "isa/core/instruction.h"

using namespace tahoma;
using base::Duration, base::StallReason, base::Time;
using isa::Queue;

namespace {

constexpr std::uint64_t kLoad = 11, kLoadBehind = 12, kAdd = 13;  // causes of semaphore changes
constexpr std::uint32_t kLoadLine = 1, kBehindLine = 2, kAddLine = 3, kExpLine = 4, kAsideLine = 5;
constexpr Duration kStartUp{200};
constexpr std::uint32_t kNoLine = 0;  // time that no instruction explains

// Engines of core 0, in femtoseconds.
class Recorded {
 public:
  // Waits, then is busy; the result is visible at `complete`.
  void execute(Queue queue, std::uint32_t line, std::int64_t wait, std::int64_t busy, std::int64_t complete,
               std::uint64_t released_by, std::uint64_t cause) {
    auto& times = times_[queue];
    times[static_cast<std::size_t>(StallReason::kWaitDma)] += Duration{wait};
    times[static_cast<std::size_t>(StallReason::kBusy)] += Duration{busy};
    base::InstructionActivity a;
    a.queue = static_cast<std::uint8_t>(queue);
    a.complete = Time{complete};
    a.released_by = released_by;
    a.cause = cause;
    a.engine_time = times;
    a.index = line;
    path.instruction(a);
  }
  void transfer(std::uint64_t cause, std::int64_t rung, std::int64_t start, std::int64_t end) {
    base::TransferActivity a;
    a.cause = cause;
    a.rung = Time{rung};
    a.start = Time{start};
    a.end = Time{end};
    path.transfer(a);
  }
  std::map<std::uint32_t, std::int64_t> lines(std::int64_t end) const {
    std::map<std::uint32_t, std::int64_t> lines;
    path.follow(Time{end}, [&](const runtime::PathStep& step) {
      lines[step.at ? step.at->index : kNoLine] += step.time().fs;
    });
    return lines;
  }

  explicit Recorded(std::size_t most = runtime::kMostPathInstructions) : path(1, kStartUp, most) {}
  runtime::CriticalPath path;

 private:
  std::map<Queue, std::array<Duration, base::kStallReasons>> times_;
};

}  // namespace

TEST_CASE("critical path: it contains each instruction of a chain, from where it could start", "[report]") {
  Recorded run;
  run.execute(Queue::kSync, kLoadLine, 0, 100, 100, 0, kLoad);
  run.execute(Queue::kGpSimd, kAsideLine, 0, 1'200, 1'200, 0, 0);  // ends early
  run.execute(Queue::kVector, kAddLine, 1'010, 200, 1'300, kLoad, kAdd);
  run.transfer(kLoad, 100, 500, 1'000);
  run.execute(Queue::kScalar, kExpLine, 1'320, 100, 1'500, kAdd, 0);
  // The latency of a semaphore belongs to the instruction that raises it.
  CHECK(run.lines(1'600) == std::map<std::uint32_t, std::int64_t>{
                                {kLoadLine, 1'010}, {kAddLine, 310}, {kExpLine, 180}, {kNoLine, 100}});
}

TEST_CASE("critical path: an instruction that did not wait follows the one before it on its engine",
          "[report]") {
  Recorded run;
  run.execute(Queue::kSync, kLoadLine, 0, 100, 150, 0, kLoad);
  run.execute(Queue::kVector, kAddLine, 0, 700, 800, 0, 0);
  run.execute(Queue::kVector, kExpLine, 0, 300, 1'000, kLoad, 0);  // its semaphore had the value before
  CHECK(run.lines(1'000) == std::map<std::uint32_t, std::int64_t>{{kAddLine, 700}, {kExpLine, 300}});
}

TEST_CASE("critical path: a transfer goes on with the one that it stood behind", "[report]") {
  const auto lines = [](std::int64_t first_end) {
    Recorded run;
    run.execute(Queue::kSync, kLoadLine, 0, 100, 100, 0, kLoad);
    run.execute(Queue::kSync, kBehindLine, 0, 10, 110, 0, kLoadBehind);
    run.transfer(kLoad, 100, 500, first_end);
    run.transfer(kLoadBehind, 110, 900, 1'400);
    run.execute(Queue::kVector, kAddLine, 1'400, 200, 1'600, kLoadBehind, 0);
    return run.lines(1'600);
  };
  // The first data come 400 after a doorbell, so the second transfer left the queue at 500.
  CHECK(lines(1'000) ==
        std::map<std::uint32_t, std::int64_t>{{kLoadLine, 500}, {kBehindLine, 900}, {kAddLine, 200}});
  // If nothing is before it in the ring, the path leads through its doorbell.
  CHECK(lines(105) ==
        std::map<std::uint32_t, std::int64_t>{{kLoadLine, 100}, {kBehindLine, 1'300}, {kAddLine, 200}});
}

// The parts of a transfer of which each stage takes a known time.
TEST_CASE("critical path: each stage of a transfer belongs to what held it", "[report]") {
  using runtime::PathPart;
  struct Case {
    bool reads_far, writes_far;
    PathPart data, rest;  // what the engines waited for, and what follows the last write
  };
  for (const Case& c : {Case{false, false, PathPart::kMemory, PathPart::kMove},
                        Case{true, false, PathPart::kLink, PathPart::kMove},
                        Case{false, true, PathPart::kMemory, PathPart::kLink}}) {
    Recorded run;
    run.execute(Queue::kSync, kLoadLine, 0, 100, 100, 0, kLoad);
    base::TransferActivity a;
    a.cause = kLoad;
    a.rung = Time{100};
    a.issued = Time{400};
    a.start = Time{500};
    a.read_done = Time{1'400};
    a.end = Time{1'700};
    a.held = Duration{200};
    a.busy =
        Duration{5'000};  // sums over the engines: a half, a fifth, three tenths of the time from 400 to 1400
    a.blocked = Duration{2'000};
    a.starved = Duration{3'000};
    a.reads_far = c.reads_far;
    a.writes_far = c.writes_far;
    run.path.transfer(a);
    run.execute(Queue::kVector, kAddLine, 1'750, 200, 2'000, kLoad, 0);
    std::map<PathPart, std::int64_t> expected{
        {PathPart::kExecution, 100 + 250}, {PathPart::kDescriptors, 100}, {PathPart::kMove, 200 + 500 + 100}};
    expected[PathPart::kLink] += 200;
    expected[c.data] += 300;
    expected[PathPart::kMemory] += 200;
    expected[c.rest] += 50;
    std::map<PathPart, std::int64_t> parts;
    run.path.follow(Time{2'000}, [&](const runtime::PathStep& step) {
      Duration sum;
      for (std::size_t n = 0; n < runtime::kPathParts; ++n) {
        sum += step.parts[n];
        if (step.parts[n].fs != 0) parts[static_cast<PathPart>(n)] += step.parts[n].fs;
      }
      CHECK(sum == step.time());
    });
    CHECK(parts == expected);
  }
}

TEST_CASE("critical path: of a run that is too long, the last instructions are on it", "[report]") {
  Recorded run(10);  // keeps 10 instructions at most, 5 at least
  for (std::int64_t n = 1; n <= 100; ++n) {
    run.execute(Queue::kVector, kAddLine, 0, 10, 10 * n, 0, kAdd + static_cast<std::uint64_t>(n));
    const auto lines = run.lines(10 * n);
    const std::int64_t kept = n - static_cast<std::int64_t>(run.path.forgotten());
    CHECK(kept <= 10);
    CHECK((kept >= 5 || kept == n));
    CHECK(lines.at(kAddLine) == 10 * kept);
    CHECK((lines.contains(kNoLine) ? lines.at(kNoLine) : 0) == 10 * (n - kept));
  }
  // A forgotten instruction raises nothing, and its transfer is ignored.
  CHECK_FALSE(run.path.raiser(kAdd + 1).has_value());
  run.transfer(kAdd + 1, 10, 20, 5'000);
  run.execute(Queue::kScalar, kExpLine, 1'000, 10, 1'010, kAdd + 1, 0);
  CHECK(run.lines(1'010) == std::map<std::uint32_t, std::int64_t>{{kExpLine, 1'010}});
}

TEST_CASE("critical path: a run without instructions has no line on it", "[report]") {
  CHECK(Recorded().lines(50) == std::map<std::uint32_t, std::int64_t>{{kNoLine, 50}});
}
