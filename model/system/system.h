// SPDX-License-Identifier: Apache-2.0
// A whole machine: chips on a torus, each with cores, stacks, network and ports. One per process, because
// SystemC elaborates once. Time only advances in run().
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "isa/core/program.h"
#include "model/base/activity.h"
#include "model/base/measurements.h"
#include "model/base/stats.h"
#include "model/check/findings.h"
#include "model/system/folding/classes.h"
#include "model/system/machine/machine_params.h"
#include "model/system/machine/stack_maker.h"
#include "model/system/netlist/program_start.h"
#include "model/system/parallel/counts.h"
#include "model/system/parallel/processes.h"

namespace tahoma::model {

enum class Mode : std::uint8_t { kFunctional, kTiming };
inline constexpr base::Named<Mode> kModes[] = {{Mode::kFunctional, "functional"}, {Mode::kTiming, "timing"}};
constexpr const char* name_of(Mode mode) { return base::name_in(kModes, mode); }

struct Progress {
  base::Time simulated;
  std::uint64_t instructions_done = 0, instructions_total = 0;  // total counts loops once
  std::uint64_t events = 0;                                     // activations of components
};

class System {
 public:
  // `params` must have passed check(). Elaborates the machine, or leaves it to run() if equal chips may be
  // simulated once (allow_folding). Without `run_ahead` every instruction is its own
  // activation; a test shows that the results are the same. `checks` watches the program
  // (model/check/checker.h) and changes no result either. `stacks` may put a foreign memory model behind a
  // socket (model/memory/foreign/foreign_stack.h). With `processes`, each of which makes the same System and
  // calls the same functions, every process simulates a part of the chips (model/system/parallel), without
  // checks.
  System(const MachineParams& params, Mode mode, bool run_ahead = true, check::Options checks = {},
         const StackMaker& stacks = {}, Processes* processes = nullptr);
  ~System();
  System(const System&) = delete;
  System& operator=(const System&) = delete;

  const MachineParams& params() const;
  std::uint32_t cores() const;
  std::uint32_t chip_of(std::uint32_t core) const;
  std::uint32_t stack_of(std::uint32_t core) const;  // the core's own stack, within its chip

  // Returns the host bytes of HBM at a global address, valid for `bytes` within the stack. Access commits
  // host memory page by page. In timing mode only control tensors may be accessed (invariant).
  std::byte* hbm(std::uint64_t address, std::uint64_t bytes);
  // Before the run: a control tensor, which keeps its values in timing mode. Memory is zero until written.
  void keep_values(std::uint64_t address, std::uint64_t bytes);

  // Before the run: the host has written these bytes, or in timing mode would have. The check of
  // uninitialised memory knows them then, and of several processes only those that need them keep them.
  void host_wrote(std::uint64_t address, std::uint64_t bytes);
  // Before the run: the seed of everything random, which is stochastic rounding. The default is 0.
  void seed(std::uint64_t seed);
  // Before the run, in functional mode: what each byte of SBUF and PSUM holds until it is written. The
  // default is 0; on silicon it is unknown.
  void unwritten(std::byte contents);

  // The simulated time, which is that of the events that are being reported.
  base::Time now() const;

  // Gives a core its program. Arguments are global addresses, or core numbers for dma_copy's `notify`. Throws
  // UserError E-RUN-055 if the core's chip is dead.
  void load(std::uint32_t core, std::shared_ptr<const isa::Program> program,
            const std::array<std::uint64_t, isa::kArguments>& args);

  // Before the run, after load(): when the programs of some cores start. Each core is in at most one start;
  // the others start with the run. Not for several processes.
  void start(ProgramStart start);

  // Before the run: whether equal chips may be simulated once (model/system/folding/folding.h). The results
  // are the same. Allowed by default, without checks, without an observer of results and without blocks in
  // SystemVerilog; otherwise every chip is simulated.
  void allow_folding(bool allowed);
  // Before the run of a machine that may be folded: the chips in the order in which they are constructed,
  // which changes no result (tests/system/run/elaboration_test.cpp).
  void elaborate_in(std::vector<std::uint32_t> order);
  // After the run: how it was folded.
  const Folding& folding() const;
  // After the run: what several processes have exchanged.
  const ParallelCounts& parallel() const;

  // Before the run: the observer of every instruction and transfer; null for none.
  void observe(base::Observer* observer);
  void observe(base::ProbeObserver* probes);       // also every DMA packet and semaphore change
  void observe(base::TimelineObserver* timeline);  // also every stretch and link packet
  // Before the run, in functional mode: `observer` receives every result at the moment that it is in memory.
  // On-chip memories then keep their values to the end of the run.
  void observe_results(base::ResultObserver* observer);
  // Host bytes of a core's SBUF or PSUM, in functional mode; those of partition p begin p * stride later.
  struct OnChip {
    const std::byte* bytes = nullptr;
    std::size_t stride = 0;
  };
  OnChip on_chip(std::uint32_t core, isa::Space space) const;

  // Runs until every stream has ended and every transfer has landed. `progress` is called about every 100 ms
  // of host time. Throws UserError(kNoProgress): E-RUN-051 with the waiting components, E-RUN-054 when the
  // machine's time limit ends the run. With several processes, process 0 returns the measurement of the
  // machine and notifies the observers, and throws; the others return an empty measurement, and throw
  // ReportedElsewhere (parallel/agreement.h).
  base::RunMeasurement run(const std::function<void(const Progress&)>& progress = {});

  // The findings of the checks; empty if there were none.
  const check::Findings& findings() const;

  // Every statistic of the finished run with unit and sentence.
  void collect(base::StatSink& sink) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace tahoma::model
