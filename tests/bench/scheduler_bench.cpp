// SPDX-License-Identifier: Apache-2.0
// The cost of a kernel's length: vector_add programs of n and 2 n tiles are built and scheduled alternately,
// and their processor time is measured. ratio_of_doubling is the ratio of the medians: 2 for work that grows
// linearly, 4 for work that grows with the square.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <ctime>
#include <vector>

#include "tests/support/bench/machine_fixture.h"
#include "workloads/vector_add/vector_add_kernel.h"

namespace {

using namespace tahoma;

double median(std::vector<double> times) {
  std::sort(times.begin(), times.end());
  return times[times.size() / 2];
}

double build(const model::MachineParams& machine, std::uint64_t tiles) {
  const std::clock_t start = std::clock();
  const auto program = workloads::vector_add_program(
      machine, {tiles * machine.chip.core.sbuf.partitions, 16, isa::DType::kFp32});
  benchmark::DoNotOptimize(program.stream(isa::Queue::kVector).size());
  return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
}

void scheduler_growth(benchmark::State& state) {
  const model::MachineParams machine = tests::default_machine();
  const auto tiles = static_cast<std::uint64_t>(state.range(0));
  std::vector<double> once, twice;
  for (auto unused : state) {
    once.push_back(build(machine, tiles));
    twice.push_back(build(machine, 2 * tiles));
  }
  state.counters["ratio_of_doubling"] = median(twice) / median(once);
}

BENCHMARK(scheduler_growth)->Arg(12'500)->Iterations(5)->Unit(benchmark::kMillisecond);

}  // namespace
