// SPDX-License-Identifier: Apache-2.0
// Measures the host cost of simulating HBM: one saturated stack of the default machine, the main job with
// DRAM compared with the flat model, and large cases by the state of the banks. Processor time, each run in a
// separate process.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <ctime>
#include <random>
#include <sstream>

#include "runtime/config/config.h"
#include "runtime/run/machine.h"
#include "tests/support/bench/machine_fixture.h"
#include "tests/support/bench/stack_bench.h"
#include "tests/support/in_child.h"

namespace {

using namespace tahoma;
using tests::StackAnswer, tests::StackBench, tests::StackRequest;

// Requests of 32 bytes per host second that established simulators reached for one channel (of 32 or 51
// GB/s), on one core of another machine: shared reference figures, hbm/bandwidth.csv.
constexpr double kSlowestSequential = 38'610, kFastestSequential = 172'414;
constexpr double kSlowestRandom = 12'516, kFastestRandom = 51'948;

struct Cost {
  double host_s = 0, simulated_s = 0, bytes = 0;
};

double processor_s() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

Cost in_own_process(const std::function<Cost()>& measure) {
  std::istringstream text(tests::in_child([&] {
    const Cost c = measure();
    return fmt::format("{} {} {}", c.host_s, c.simulated_s, c.bytes);
  }));
  Cost c;
  if (!(text >> c.host_s >> c.simulated_s >> c.bytes)) throw std::runtime_error(text.str());
  return c;
}

// The fastest of five runs, each in a separate process, which excludes the load of other guests on the host.
Cost fastest(const std::function<Cost()>& measure) {
  Cost best = in_own_process(measure);
  for (int n = 1; n < 5; ++n) {
    const Cost c = in_own_process(measure);
    if (c.host_s < best.host_s) best = c;
  }
  return best;
}

// `count` reads, `window` of them in flight, from 16 engines of two cores.
Cost saturate(std::uint32_t bytes, std::uint32_t window, std::uint32_t count,
              const std::function<std::uint64_t(std::uint32_t)>& offset_of) {
  std::uint32_t n = 0;
  const auto request = [&](base::Time start) {
    const StackRequest r{false, offset_of(n), bytes, n / 16 % 2, n % 16, start};
    ++n;
    return r;
  };
  StackBench bench(tests::default_machine().chip.hbm,
                   [&](const StackAnswer& a) -> std::optional<StackRequest> {
                     if (n >= count) return std::nullopt;
                     return request(a.last + StackBench::kSlack);
                   });
  std::vector<StackRequest> first;
  while (n < window) first.push_back(request(base::Time{0}));
  const double before = processor_s();
  bench.run(first);
  return {processor_s() - before, bench.elapsed().ns() / 1e9, double{1} * bytes * count};
}

void report(benchmark::State& state, const Cost& c, std::uint32_t bytes, double slowest, double fastest) {
  state.SetIterationTime(c.host_s);
  state.counters["host_s_per_simulated_s"] = c.host_s / c.simulated_s;
  state.counters["GB_per_simulated_s"] = c.bytes / c.simulated_s / 1e9;
  state.counters["requests_per_host_s"] = c.bytes / bytes / c.host_s;
  state.counters["accesses_per_host_s"] = c.bytes / 32 / c.host_s;
  state.counters["reference_slowest"] = slowest;
  state.counters["reference_fastest"] = fastest;
}

// In the order of two cores' engines: each engine reads its 32 KiB of one transfer after the other.
void sequential(benchmark::State& state) {
  constexpr std::uint64_t kShare = 32 << 10;
  const auto bytes = static_cast<std::uint32_t>(state.range(0));
  for (auto _ : state) {
    const Cost c = fastest([&] {
      return saturate(bytes, 256 * 4096 / bytes, (512U << 20) / bytes, [=](std::uint32_t n) {
        const std::uint64_t core = n / 16 % 2, engine = n % 16, at = std::uint64_t{n / 32} * bytes;
        return (core << 30) + at / kShare * 16 * kShare + engine * kShare + at % kShare;
      });
    });
    report(state, c, bytes, kSlowestSequential, kFastestSequential);
  }
}

void random_accesses(benchmark::State& state) {
  for (auto _ : state) {
    const Cost c = fastest([] {
      std::mt19937_64 random(1);
      return saturate(32, 2048, 1 << 20, [&](std::uint32_t) { return random() % (24ULL << 25) * 32; });
    });
    report(state, c, 32, kSlowestRandom, kFastestRandom);
  }
}

Cost main_job(const std::string& model, const char* mode) {
  return in_own_process([&] {
    const auto config = runtime::resolve_config({TAHOMA_SOURCE_DIR "/workloads/gemm/ultraserver.yaml",
                                                 "",
                                                 {"machine.chip.hbm.model=" + model},
                                                 mode,
                                                 ""});
    runtime::Machine machine(config->machine, config->mode());
    config->workload->prepare(machine, config->run.seed);
    const double before = processor_s();
    const base::RunMeasurement run = machine.run();
    return Cost{processor_s() - before, run.elapsed.ns() / 1e9, 0};
  });
}

// Both run alternately, so that they see the same host load.
void main_job_ratio(benchmark::State& state, const char* mode) {
  for (auto _ : state) {
    double dram = 0, flat = 0;
    for (int n = 0; n < 3; ++n) {
      dram += main_job("dram", mode).host_s;
      flat += main_job("flat", mode).host_s;
    }
    state.SetIterationTime(dram);
    state.counters["dram_s"] = dram / 3;
    state.counters["flat_s"] = flat / 3;
    state.counters["dram_to_flat"] = dram / flat;
  }
}

struct BankCase {
  const char* name;
  std::string file;
  std::vector<std::string> overrides;
  bool fold,
      commands;  // whether equal chips are simulated once; whether the model of every command is practical
};

const std::vector<BankCase> kBankCases = {
    {"gemm_512_cores", "gemm/ultraserver.yaml", {}, true, true},
    {"gemm_512_cores_whole", "gemm/ultraserver.yaml", {}, false, true},
    {"gemm_4096", "gemm/blocked_4096.yaml", {}, true, true},
    {"gemm_8192",
     "gemm/one_core_4096.yaml",
     {"workload.m=8192", "workload.n=8192", "workload.k=8192"},
     true,
     true},
    {"decode_405b", "transformer/llama31_405b_decode.yaml", {}, true, true},
    {"prefill_405b", "transformer/llama31_405b_prefill.yaml", {}, true, false},
    {"all_reduce_1gib", "collective/all_reduce_1gib.yaml", {}, true, false},
};

Cost bank_case(const BankCase& c, const std::string& model) {
  return in_own_process([&] {
    std::vector<std::string> overrides = c.overrides;
    overrides.push_back("machine.chip.hbm.model=" + model);
    const double before = processor_s();
    const auto config =
        runtime::resolve_config({TAHOMA_SOURCE_DIR "/workloads/" + c.file, "", overrides, "timing", ""});
    runtime::Machine machine(config->machine, config->mode());
    config->workload->prepare(machine, config->run.seed);
    machine.allow_folding(c.fold);
    const base::RunMeasurement run = machine.run();
    return Cost{processor_s() - before, run.elapsed.ns() / 1e9, 0};
  });
}

// The whole run with its programs, by the state of the banks and, where that is practical, by every command.
void banks(benchmark::State& state, const BankCase& c) {
  for (auto _ : state) {
    const Cost fast = bank_case(c, "banks");
    state.SetIterationTime(fast.host_s);
    state.counters["simulated_us"] = fast.simulated_s * 1e6;
    if (!c.commands) continue;
    const Cost exact = bank_case(c, "dram");
    state.counters["dram_s"] = exact.host_s;
    state.counters["speedup"] = exact.host_s / fast.host_s;
    state.counters["error_percent"] = 100 * (fast.simulated_s / exact.simulated_s - 1);
  }
}

const bool kBankCasesRegistered = [] {
  for (const BankCase& c : kBankCases)
    benchmark::RegisterBenchmark(("banks_" + std::string(c.name)).c_str(), banks, c)
        ->UseManualTime()
        ->Unit(benchmark::kSecond)
        ->Iterations(1);
  return true;
}();

BENCHMARK(sequential)->Name("hbm_sequential")->Arg(4096)->Arg(16384)->UseManualTime()->Iterations(1);
BENCHMARK(random_accesses)->Name("hbm_random_32_bytes")->UseManualTime()->Iterations(1);
BENCHMARK_CAPTURE(main_job_ratio, timing, "timing")
    ->Name("hbm_main_job/timing")
    ->UseManualTime()
    ->Unit(benchmark::kSecond)
    ->Iterations(1);
BENCHMARK_CAPTURE(main_job_ratio, functional, "functional")
    ->Name("hbm_main_job/functional")
    ->UseManualTime()
    ->Unit(benchmark::kSecond)
    ->Iterations(1);

}  // namespace
