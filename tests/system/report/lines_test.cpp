// SPDX-License-Identifier: Apache-2.0
// The time of source lines compared with the measurements of the run.
#include <algorithm>
#include <catch2/catch.hpp>

#include "report/lines/line_tables.h"
#include "runtime/run/machine.h"
#include "tests/support/bench/machine_fixture.h"
#include "tests/support/program/text_program.h"

using namespace tahoma;
using base::EngineKind, base::StallReason;
using isa::DType, isa::Queue;
using runtime::LineTime, runtime::LineTimes;

namespace {

constexpr auto kVectorQueue = static_cast<std::size_t>(EngineKind::kVector);
constexpr auto kIdle = static_cast<std::size_t>(StallReason::kIdle);

// Line 10 loads, line 11 adds, called from 3 and then from 4; line 20 is slow.
std::shared_ptr<const isa::Program> lined_program() {
  isa::Program program = *tests::text_program(R"(.program p
.args x y
sync:
  dma_copy shape=128x16 dst=sbuf[0, 0x0]:fp32 src=x:fp32 update=s0+=1
  dma_copy shape=128x512 dst=sbuf[0, 0x1000]:fp32 src=x:fp32 update=s1+=1
vector:
  tensor_scalar shape=128x16 dst=sbuf[0, 0x0]:fp32 src=sbuf[0, 0x0]:fp32 op0=add scalar0=1 wait=s0>=16
  tensor_scalar shape=128x16 dst=sbuf[0, 0x1000]:fp32 src=sbuf[0, 0x1000]:fp32 op0=add scalar0=1 wait=s1>=16
  tensor_scalar shape=128x4096 dst=sbuf[0, 0x8000]:fp32 src=sbuf[0, 0x8000]:fp32 op0=add scalar0=1
  tensor_scalar shape=128x4096 dst=sbuf[0, 0x8000]:fp32 src=sbuf[0, 0x8000]:fp32 op0=add scalar0=1
scalar:
  activation shape=128x16 dst=sbuf[0, 0x4000]:fp32 src=sbuf[0, 0x0]:fp32 func=exp scale=1
)");
  program.lines = {{"/src/k.py", 3, "kernel", isa::kNoLine},
                   {"/src/k.py", 4, "kernel", isa::kNoLine},
                   {"/src/k.py", 10, "step", 0},
                   {"/src/k.py", 11, "step", 0},
                   {"/src/k.py", 11, "step", 1},
                   {"/src/k.py", 20, "kernel", isa::kNoLine}};
  program.line_marks[static_cast<std::size_t>(Queue::kSync)] = {{0, 2}};
  program.line_marks[static_cast<std::size_t>(Queue::kVector)] = {{0, 3}, {1, 4}, {2, 5}};
  return std::make_shared<const isa::Program>(std::move(program));
}

struct ObservedLines {
  base::RunMeasurement run;
  LineTimes lines;
};

ObservedLines run_lines(const std::shared_ptr<const isa::Program>& program) {
  const model::MachineParams params = tests::flat_chip();
  runtime::Machine machine(params, model::Mode::kTiming);
  const auto x = machine.allocate(0, "x", DType::kFp32, {128, 512}),
             y = machine.allocate(0, "y", DType::kFp32, {128, 512});
  machine.declare_input(x);
  machine.load(0, program, {x.address, y.address});
  runtime::CriticalPath path(params.cores(), params.chip.core.dma.start_up);
  runtime::LineRecorder recorder(params, path);
  for (const auto& [core, loaded] : machine.programs()) recorder.program(core, loaded);
  machine.observe(&path);
  machine.observe(&recorder);
  ObservedLines observed;
  observed.run = machine.run();
  observed.lines = recorder.summarise(observed.run);
  return observed;
}

const LineTime& line_of(const LineTimes& times, std::uint64_t line, std::string_view callers) {
  const auto found = std::find_if(times.lines.begin(), times.lines.end(),
                                  [&](const LineTime& l) { return l.line == line && l.callers == callers; });
  REQUIRE(found != times.lines.end());
  return *found;
}

}  // namespace

TEST_CASE("lines: their times and the idle time add up to the time of each engine", "[report]") {
  const ObservedLines o = run_lines(lined_program());
  for (const base::EngineMeasurement& engine : o.run.engines) {
    if (engine.core != 0 || engine.instructions == 0) continue;
    const auto kind = static_cast<std::size_t>(engine.kind);
    for (std::size_t n = 0; n < base::kStallReasons; ++n) {
      INFO(engine.path << " " << base::name_of(static_cast<StallReason>(n)));
      base::Duration sum{0};
      for (const LineTime& line : o.lines.lines) sum += line.engines[kind].time[n];
      CHECK(sum.fs == (n == kIdle ? 0 : engine.time[n].fs));
      CHECK(sum == o.lines.whole.engines[kind].time[n]);
    }
    CHECK(o.lines.whole.engines[kind].total() + engine.time[kIdle] == o.run.elapsed);
  }
  // The activation has no line, the transfers are of line 10.
  CHECK(line_of(o.lines, 0, "").counts.instructions == 1);
  const LineTime& load = line_of(o.lines, 10, "k.py:3 kernel");
  CHECK(load.counts.transfers == 2);
  CHECK(load.counts.bytes == 128 * (16 + 512) * sizeof(float));
  CHECK(load.counts.dma == o.run.dma[0].busy);
}

TEST_CASE("lines: a line has an entry for each of its call chains", "[report]") {
  const ObservedLines o = run_lines(lined_program());
  const LineTime &first = line_of(o.lines, 11, "k.py:3 kernel"),
                 &second = line_of(o.lines, 11, "k.py:4 kernel");
  CHECK(first.engines[kVectorQueue].largest_stall() == StallReason::kWaitDma);
  CHECK(first.busy() == second.busy());
  // Both waited for the load, and only for that.
  const auto waited = [](const LineTime& l) {
    return l.engines[kVectorQueue].time[static_cast<std::size_t>(StallReason::kWaitDma)];
  };
  CHECK(line_of(o.lines, 10, "k.py:3 kernel").counts.waited_for == waited(first) + waited(second));
}

TEST_CASE("lines: hot spots are ranked by the limiting engine and their shares add up to 100", "[report]") {
  const ObservedLines o = run_lines(lined_program());
  const runtime::HotSpots spots = runtime::hot_spots(o.lines);
  CHECK(spots.limit == "vector");
  double sum = 0;
  for (const runtime::HotSpot& spot : spots.lines) sum += spot.share_percent;
  CHECK(sum == Approx(100));
  CHECK(std::is_sorted(spots.lines.begin(), spots.lines.end(),
                       [](const auto& a, const auto& b) { return a.share_percent > b.share_percent; }));
  const auto both =
      std::find_if(spots.lines.begin(), spots.lines.end(), [](const auto& s) { return s.line == 11; });
  REQUIRE(both != spots.lines.end());
  CHECK(both->counts.instructions == 2);
  CHECK(both->callers == "several");
  CHECK(both->stall == "wait_dma");
  CHECK(spots.functions.size() == 3);  // step, kernel, and the instruction without a line
  const std::string text = runtime::hot_spots_text(spots, {0, 0, 0, 8, 0, 0, 0}),
                    csv = runtime::lines_csv(o.lines);
  CHECK_THAT(text, Catch::Contains("k.py:11") && Catch::Contains("vector wait_dma"));
  CHECK_THAT(csv, Catch::Contains("/src/k.py,11,step,k.py:4 kernel,1,"));
}

TEST_CASE("lines: the critical path adds up to the simulated time and has the lines of a chain", "[report]") {
  const ObservedLines o = run_lines(lined_program());
  base::Duration sum{0};
  for (const LineTime& line : o.lines.lines) sum += line.counts.critical;
  CHECK(sum == o.run.elapsed);
  CHECK(o.lines.whole.counts.critical == o.run.elapsed);
  // The second load, the addition that waits for it, and the slow line follow one another.
  CHECK(line_of(o.lines, 10, "k.py:3 kernel").counts.critical.fs > 0);
  CHECK(line_of(o.lines, 11, "k.py:4 kernel").counts.critical.fs > 0);
  // The first addition is complete before the second load, so nothing on the path waits for it.
  CHECK(line_of(o.lines, 11, "k.py:3 kernel").counts.critical.fs == 0);
  const LineTime& slow = line_of(o.lines, 20, "");
  CHECK(slow.counts.critical >= slow.busy());
}

TEST_CASE("lines: programs without lines are not recorded", "[report]") {
  isa::Program program = *lined_program();
  program.lines.clear();
  for (auto& marks : program.line_marks) marks.clear();
  const ObservedLines o = run_lines(std::make_shared<const isa::Program>(std::move(program)));
  CHECK(o.lines.lines.empty());
  CHECK(runtime::lines_csv(o.lines).empty());
  CHECK(runtime::hot_spots_text(runtime::hot_spots(o.lines), {0, 0, 0, 8, 0, 0, 0}).empty());
}
