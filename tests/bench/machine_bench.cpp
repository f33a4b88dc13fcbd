// SPDX-License-Identifier: Apache-2.0
// Measures the speed of simulating machines: instructions per second, SystemC activations per instruction and
// per packet, seconds of elaboration and peak memory. Every measurement runs in a forked process, because
// SystemC elaborates once per process and because the kernel keeps a process's peak memory for its whole
// life.
#include <benchmark/benchmark.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <exception>
#include <functional>
#include <stdexcept>
#include <string>
#include <utility>

#include "runtime/config/config.h"
#include "runtime/run/machine.h"

// libsystemc refers to it; this program's own main() is the one that runs (see tests/support/catch_main.cpp).
extern "C" int sc_main(int, char**) { return EXIT_FAILURE; }

namespace {

using namespace tahoma;
using Clock = std::chrono::steady_clock;

// The message of a forked process: plain bytes. A non-empty `error` makes the other fields meaningless.
struct Figures {
  double elaborate_s = 0, prepare_s = 0, run_s = 0, run_cpu_s = 0;
  double simulated_us = 0, simulated_chips = 0, instructions = 0, packets = 0, hops = 0;
  double engine_activations = 0, dma_activations = 0, link_activations = 0;
  double peak_mib = 0;
  std::array<char, 256> error{};
};

double lap(Clock::time_point& since) {
  const auto now = Clock::now();
  return std::chrono::duration<double>(now - std::exchange(since, now)).count();
}

[[noreturn]] void send(const std::function<Figures()>& measure, int pipe_end) {
  Figures figures;
  try {
    figures = measure();
  } catch (const std::exception& error) {
    const std::string text = error.what();
    std::copy_n(text.begin(), std::min(text.size(), figures.error.size() - 1), figures.error.begin());
  }
  _exit(write(pipe_end, &figures, sizeof figures) == sizeof figures ? EXIT_SUCCESS : EXIT_FAILURE);
}

Figures failed(const std::string& text) {
  Figures figures;
  std::copy_n(text.begin(), std::min(text.size(), figures.error.size() - 1), figures.error.begin());
  return figures;
}

Figures in_own_process(const std::function<Figures()>& measure) {
  std::array<int, 2> ends{};
  if (pipe(ends.data()) != 0) return failed("no pipe");
  const pid_t child = fork();
  if (child < 0) return failed("no process");
  if (child == 0) send(measure, ends[1]);
  close(ends[1]);
  Figures figures;
  const bool whole = read(ends[0], &figures, sizeof figures) == sizeof figures;
  close(ends[0]);
  rusage usage{};
  int status = 0;
  wait4(child, &status, 0, &usage);
  if (!whole || status != 0) return failed("the measured process ended early");
  figures.peak_mib = static_cast<double>(usage.ru_maxrss) / 1024;
  return figures;
}

// Folding is off unless a measurement is about it, so that figures are those of all chips.
Figures run_case(const runtime::ConfigRequest& request, model::check::Options checks = {},
                 bool fold = false) {
  Figures f;
  const auto config = runtime::resolve_config(request);
  auto since = Clock::now();
  runtime::Machine machine(config->machine, config->mode(), checks);
  f.elaborate_s = lap(since);
  config->workload->prepare(machine, config->run.seed);
  f.prepare_s = lap(since);
  machine.allow_folding(fold);
  const std::clock_t cpu = std::clock();
  const base::RunMeasurement run = machine.run();
  f.run_cpu_s = static_cast<double>(std::clock() - cpu) / CLOCKS_PER_SEC;
  f.run_s = lap(since);
  if (machine.findings().total() > 0) throw std::runtime_error(machine.findings().first().front());
  f.simulated_us = run.elapsed.ns() / 1000;
  f.simulated_chips = static_cast<double>(machine.folding().simulated());
  f.instructions = static_cast<double>(run.instructions);
  f.packets = static_cast<double>(run.dma_packets);
  f.hops = static_cast<double>(run.link_packet_hops);
  f.engine_activations = static_cast<double>(run.engine_activations);
  f.dma_activations = static_cast<double>(run.dma_activations);
  f.link_activations = static_cast<double>(run.link_activations);
  return f;
}

bool refused(benchmark::State& state, const Figures& f) {
  if (f.error[0] != '\0') state.SkipWithError(f.error.data());
  return f.error[0] != '\0';
}

void simulate(benchmark::State& state, const runtime::ConfigRequest& request) {
  for (auto _ : state) {
    const Figures f = in_own_process([&] { return run_case(request); });
    if (refused(state, f)) return;
    state.SetIterationTime(f.run_s);
    state.counters["instructions/s"] = f.instructions / f.run_s;
    state.counters["activations/s"] =
        (f.engine_activations + f.dma_activations + f.link_activations) / f.run_s;
    state.counters["activations/instruction"] = f.engine_activations / f.instructions;
    state.counters["activations/packet"] = f.packets > 0 ? f.dma_activations / f.packets : 0;
    state.counters["activations/hop"] = f.hops > 0 ? f.link_activations / f.hops : 0;
    state.counters["simulated_us"] = f.simulated_us;
    state.counters["prepare_s"] = f.prepare_s;
    state.counters["peak_MiB"] = f.peak_mib;
  }
}

// The quickest of some runs, each in a separate process; short runs are repeated.
Figures quickest(const runtime::ConfigRequest& request, model::check::Options checks) {
  Figures best = in_own_process([&] { return run_case(request, checks); });
  for (int n = 0; n < 9 && best.run_s < 0.5 && best.error[0] == '\0'; ++n) {
    const Figures next = in_own_process([&] { return run_case(request, checks); });
    if (next.error[0] != '\0' || next.run_cpu_s < best.run_cpu_s) best = next;
  }
  return best;
}

// The same run without and with all checks, in processor time, so that other load on the host matters less.
void check_overhead(benchmark::State& state, const runtime::ConfigRequest& request) {
  for (auto _ : state) {
    const Figures plain = quickest(request, {}), checked = quickest(request, {true, true});
    if (refused(state, plain) || refused(state, checked)) return;
    state.SetIterationTime(checked.run_s);
    state.counters["time_ratio"] = checked.run_cpu_s / plain.run_cpu_s;
    state.counters["memory_ratio"] = checked.peak_mib / plain.peak_mib;
    state.counters["peak_MiB"] = checked.peak_mib;
  }
}

// The same run, of all chips and of one for each class of equal chips. The times include the search
// for the classes, and for the whole machine its elaboration.
void fold(benchmark::State& state, const runtime::ConfigRequest& request) {
  for (auto _ : state) {
    const Figures whole = in_own_process([&] { return run_case(request); });
    const Figures folded = in_own_process([&] { return run_case(request, {}, true); });
    if (refused(state, whole) || refused(state, folded)) return;
    state.SetIterationTime(folded.run_s);
    state.counters["chips"] = folded.simulated_chips;
    state.counters["whole_s"] = whole.run_s;
    state.counters["speedup"] = whole.run_s / folded.run_s;
    state.counters["prepare_s"] = folded.prepare_s;
    state.counters["peak_MiB"] = folded.peak_mib;
    state.counters["whole_peak_MiB"] = whole.peak_mib;
  }
}

void elaborate_64_chips(benchmark::State& state) {
  for (auto _ : state) {
    const Figures f = in_own_process([] {
      const auto params = runtime::resolve_machine_params("trainium2_ultraserver", {});
      Figures measured;
      auto since = Clock::now();
      // Runs with checks simulate all chips. Others elaborate when the programs are known.
      const runtime::Machine machine(params, model::Mode::kTiming, {true, false});
      measured.elaborate_s = lap(since);
      return measured;
    });
    if (refused(state, f)) return;
    state.SetIterationTime(f.elaborate_s);
    state.counters["peak_MiB"] = f.peak_mib;
  }
}

runtime::ConfigRequest shipped(const std::string& file, const std::string& mode) {
  return {TAHOMA_SOURCE_DIR "/workloads/" + file, "", {}, mode, ""};
}

runtime::ConfigRequest gemm(const std::string& mode, const std::string& machine,
                            std::vector<std::string> overrides) {
  return {TAHOMA_SOURCE_DIR "/workloads/gemm/ultraserver.yaml", machine, std::move(overrides), mode, ""};
}

// The main job on 512 cores with and without values is mostly packets on NeuronLink. 2048 cubed on each of
// 512 cores, whose partial sums stay local, is mostly instructions. 4096 cubed runs on one core.
void register_machines() {
  const auto once = [](benchmark::internal::Benchmark* b) {
    b->UseManualTime()->Unit(benchmark::kSecond)->Iterations(1);
  };
  once(benchmark::RegisterBenchmark("elaborate_64_chips", elaborate_64_chips));
  once(benchmark::RegisterBenchmark("gemm_512_cores_timing", simulate, gemm("timing", "", {})));
  once(benchmark::RegisterBenchmark("gemm_512_cores_functional", simulate, gemm("functional", "", {})));
  once(benchmark::RegisterBenchmark("gemm_512_cores_no_links_timing", simulate,
                                    gemm("timing", "",
                                         {"workload.m=32768", "workload.n=65536", "workload.k=2048",
                                          "workload.shard={m: 16, n: 32, k: 1}"})));
  once(benchmark::RegisterBenchmark(
      "gemm_1_core_timing", simulate,
      gemm("timing", "trainium2_one_chip",
           {"workload.m=4096", "workload.n=4096", "workload.k=4096", "workload.shard={m: 1, n: 1, k: 1}"})));
  for (const auto& [name, file] : {std::pair("gemm_512_cores", "gemm/ultraserver.yaml"),
                                   std::pair("decode_405b", "transformer/llama31_405b_decode.yaml"),
                                   std::pair("prefill_405b_flat", "transformer/llama31_405b_prefill.yaml")})
    once(benchmark::RegisterBenchmark(("fold_" + std::string(name)).c_str(), fold, shipped(file, "timing")));
  once(benchmark::RegisterBenchmark("fold_gemm_512_cores_functional", fold,
                                    shipped("gemm/ultraserver.yaml", "functional")));
  for (const std::string mode : {"timing", "functional"}) {
    for (const auto& [name, file] : {std::pair("gemm_512_cores", "gemm/ultraserver.yaml"),
                                     std::pair("gemm_4096_one_core", "gemm/one_core_4096.yaml"),
                                     std::pair("attention_one_core", "attention/one_core.yaml")})
      once(benchmark::RegisterBenchmark(("check_" + std::string(name) + "_" + mode).c_str(), check_overhead,
                                        shipped(file, mode)));
  }
}

}  // namespace

int main(int argc, char** argv) {
  register_machines();
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return EXIT_FAILURE;
  benchmark::RunSpecifiedBenchmarks();
}
