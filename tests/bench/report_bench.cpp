// SPDX-License-Identifier: Apache-2.0
// Measures the cost of a run's page and timeline: whole runs with and without them alternately, processor
// time from the configuration to the last file, each run in a separate process.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <vector>

#include "report/run/run.h"
#include "tests/support/in_child.h"
#include "tests/support/temp_dir.h"

namespace {

using namespace tahoma;

// Files that a run writes with and without a page.
using Choose = void (*)(runtime::RunOptions& options, bool with);
void page(runtime::RunOptions& options, bool with) { options.report = with; }
void timeline(runtime::RunOptions& options, bool with) { options.trace.wanted = with; }

double run_cost(const std::string& workload, const std::string& out, Choose choose, bool with) {
  const std::string text = tests::in_child([&] {
    runtime::RunOptions options;
    options.config.workload = std::string(TAHOMA_SOURCE_DIR "/workloads/") + workload;
    options.config.mode = "timing";
    options.out = out;
    choose(options, with);
    const std::clock_t before = std::clock();
    runtime::run_workload(options);
    return fmt::format("{}", static_cast<double>(std::clock() - before) / CLOCKS_PER_SEC);
  });
  return std::stod(text);
}

// The runs alternate, so that they see the same host load. The minimum of each counts, as other load only
// adds time.
void cost(benchmark::State& state, const char* workload, Choose choose, int times) {
  const tests::TempDir folder;
  const std::string out = (folder.path() / "out").string();
  for (auto _ : state) {
    double with = 1e9, without = 1e9;
    for (int n = 0; n < times; ++n) {
      with = std::min(with, run_cost(workload, out, choose, true));
      without = std::min(without, run_cost(workload, out, choose, false));
    }
    state.SetIterationTime(with);
    state.counters["with_s"] = with;
    state.counters["without_s"] = without;
    state.counters["with_to_without"] = with / without;
  }
}

#define TAHOMA_COST(name, ...) \
  BENCHMARK_CAPTURE(cost, , __VA_ARGS__)->Name(name)->UseManualTime()->Unit(benchmark::kSecond)->Iterations(1)
TAHOMA_COST("report_cost/main_job", "gemm/ultraserver.yaml", page, 5);
TAHOMA_COST("report_cost/one_chip", "gemm/chip.yaml", page, 50);
TAHOMA_COST("report_cost/attention", "attention/flash_16k.yaml", page, 30);
TAHOMA_COST("trace_cost/main_job", "gemm/ultraserver.yaml", timeline, 3);
TAHOMA_COST("trace_cost/one_chip", "gemm/chip.yaml", timeline, 15);
TAHOMA_COST("trace_cost/attention", "attention/flash_16k.yaml", timeline, 3);

}  // namespace
