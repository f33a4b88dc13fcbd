// SPDX-License-Identifier: Apache-2.0
// A timeline of 10^8 events: its host memory, and the number of events that it writes per second. The events
// are synthetic, like those of a core's engine, a ring and a link, with a program too large for the cache of
// texts; the trace goes to /dev/null.
#include <benchmark/benchmark.h>
#include <sys/resource.h>

#include <memory>

#include "isa/text/assembler.h"
#include "report/trace/recorder.h"
#include "tests/support/bench/machine_fixture.h"

namespace {

using namespace tahoma;

constexpr std::uint32_t kInstructions = 200'000;

std::shared_ptr<const isa::Program> large_program() {
  isa::Program program = isa::assemble(
      ".program large\nvector:\n"
      "  tensor_scalar shape=128x512 dst=sbuf[0, 0x0]:fp32 src=sbuf[0, 0x0]:fp32 op0=mult scalar0=2\n",
      "large");
  std::vector<isa::Instruction>& stream = program.stream(isa::Queue::kVector).edit();
  stream.resize(kInstructions, stream.front());
  for (std::uint32_t n = 0; n < kInstructions; ++n) stream[n].dst.offset = n;
  return std::make_shared<isa::Program>(std::move(program));
}

// Three slices and a value: a wait, work, a burst on a link, and the occupancy of a ring.
void tell(runtime::TraceRecorder& trace, std::uint64_t n, const char* link) {
  const auto queue = static_cast<std::uint8_t>(isa::Queue::kVector);
  const base::Time start{static_cast<std::int64_t>(n) * 100'000'000}, work{start.fs + 30'000'000},
      end{start.fs + 100'000'000};
  trace.stretch({0, queue, base::StallReason::kWaitDma, start, work});
  trace.stretch({0, queue, base::StallReason::kBusy, work, end});
  trace.instruction({.core = 0,
                     .queue = queue,
                     .index = static_cast<std::uint32_t>(n % kInstructions),
                     .start = work,
                     .next = end,
                     .complete = end,
                     .busy = end - work});
  trace.ring({0, 1, n % 2, start});
  trace.link({link, 0, 0, 1, 4096, 4160, start, work});
}

double peak_megabytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

void trace_memory(benchmark::State& state) {
  const model::MachineParams machine = tests::machine_of(2, 1, 1);
  runtime::TraceRequest request;
  request.wanted = true;
  for (auto _ : state) {
    runtime::TraceRecorder trace(machine, runtime::trace_selection(request, machine), "/dev/null");
    trace.program(0, large_program());
    const auto count = static_cast<std::uint64_t>(state.range(0)) / 4;
    for (std::uint64_t n = 0; n < count; ++n) tell(trace, n, "server0.chip00.link.xp");
    state.counters["bytes_per_event"] =
        static_cast<double>(trace.writer().bytes_written()) / static_cast<double>(count * 4);
    trace.finish({});
    state.counters["events"] = static_cast<double>(trace.tally().total(runtime::TraceFate::kWritten));
    state.counters["peak_rss_mb"] = peak_megabytes();
  }
}
// The smaller one first, because the peak of a process never decreases.
BENCHMARK(trace_memory)
    ->Arg(1'000'000)
    ->Arg(10'000'000)
    ->Arg(100'000'000)
    ->Unit(benchmark::kSecond)
    ->Iterations(1);

}  // namespace
