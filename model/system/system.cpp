// SPDX-License-Identifier: Apache-2.0
#include "model/system/system.h"

#include <fmt/format.h>

#include <chrono>
#include <cstdlib>
#include <systemc>

#include "model/base/error.h"
#include "model/rtl/link/rtl_link_ports.h"
#include "model/system/chip.h"
#include "model/system/deadlock.h"
#include "model/system/fabric.h"
#include "model/system/statistics/statistics.h"

namespace tahoma::model {

namespace {

// Sets the resolution to femtoseconds before the first object of the netlist exists. SystemC rejects a second
// call, and thus a second machine.
const MachineParams& prepare_kernel(const MachineParams& params) {
  sc_core::sc_set_time_resolution(1, sc_core::SC_FS);
  return params;
}

// Runs until no event is left, or to the limit.
void start_kernel(base::Duration limit) {
  if (limit.fs == 0)
    sc_core::sc_start();
  else
    sc_core::sc_start(sim::to_systemc(limit), sc_core::SC_EXIT_ON_STARVATION);
}

void refuse_overtime(base::Duration limit) {
  if (limit.fs == 0 || !sc_core::sc_pending_activity()) return;
  throw base::UserError(
      "E-RUN-054", "machine.time_limit",
      fmt::format("the programs have not ended after {:.3f} us of simulated time; expected an "
                  "end by then",
                  limit.ns() * 1e-3),
      base::ExitStatus::kNoProgress);
}

}  // namespace

struct System::Impl {
  Impl(const MachineParams& p, Mode m, bool run_ahead, check::Options checks, const StackMaker& stacks)
      : params(prepare_kernel(p)),
        mode(m),
        fabric(params),
        memory("memory", static_cast<unsigned>(p.chip.hbm.stacks)) {
    if (checks.any()) {
      const check::Machine watched{static_cast<std::uint32_t>(p.cores()), p.chip.hbm.stacks,
                                   [this](std::uint32_t n) { return std::string(core(n).name()); },
                                   functional()};
      checker = std::make_unique<check::RaceChecker>(checks, watched);
    }
    const auto dram = p.chip.hbm.has_dram() ? design_of(p.chip.hbm, 1) : nullptr;
    const Chip::Shared shared{params, fabric.shared, pool,         meter,     memory,
                              dram,   stacks,        functional(), run_ahead, checker.get()};
    for (std::uint32_t s = 0; s < p.torus.z; ++s) {
      servers.push_back(std::make_unique<Server>(fmt::format("server{}", s).c_str(), s, shared));
      for (const auto& chip : servers.back()->chips()) chips.push_back(chip.get());
    }
    fabric.connect(routers(), meter);
    for (Chip* chip : chips) chip->bind_chip_to_router();
    if (params.link.in_rtl()) fabric.watch(rtl::rtl_link_ports());
  }

  bool functional() const { return mode == Mode::kFunctional; }

  std::vector<Router*> routers() {
    std::vector<Router*> all;
    for (Chip* chip : chips) all.push_back(&chip->router());
    return all;
  }

  NeuronCore& core(std::uint32_t n) {
    const auto per_chip = static_cast<std::uint32_t>(params.chip.cores);
    return chips[n / per_chip]->core(n % per_chip);
  }

  MachineParams params;  // the netlist refers to it, so it must outlive every module
  Mode mode;
  Fabric fabric;
  sim::PayloadPool pool;
  sim::Meter meter;
  AddressMap memory;
  std::unique_ptr<check::RaceChecker> checker;  // null: no checks
  std::vector<std::unique_ptr<Server>> servers;
  std::vector<Chip*> chips;
  std::uint64_t instructions_total = 0;
  base::RunMeasurement result;
};

System::System(const MachineParams& params, Mode mode, bool run_ahead, check::Options checks,
               const StackMaker& stacks)
    : impl_(std::make_unique<Impl>(params, mode, run_ahead, checks, stacks)) {}
System::~System() = default;

const MachineParams& System::params() const { return impl_->params; }
std::uint32_t System::cores() const { return static_cast<std::uint32_t>(impl_->params.cores()); }
std::uint32_t System::chip_of(std::uint32_t core) const {
  return core / static_cast<std::uint32_t>(impl_->params.chip.cores);
}
std::uint32_t System::stack_of(std::uint32_t core) const { return impl_->params.chip.stack_of(core); }

std::byte* System::hbm(std::uint64_t address, std::uint64_t bytes) {
  TAHOMA_INVARIANT(impl_->functional() || impl_->memory.known().contains(address, bytes),
                   "timing mode computes no values");
  return impl_->memory.at(address, bytes);
}

void System::keep_values(std::uint64_t address, std::uint64_t bytes) {
  impl_->memory.check(address, bytes);
  impl_->memory.known().add(address, bytes);
}

void System::host_wrote(std::uint64_t address, std::uint64_t bytes) {
  if (impl_->checker) impl_->checker->host_wrote(address, bytes);
}

const check::Findings& System::findings() const {
  static const check::Findings nothing;
  return impl_->checker ? impl_->checker->findings() : nothing;
}

void System::seed(std::uint64_t seed) {
  for (std::uint32_t n = 0; n < cores(); ++n) impl_->core(n).seed(seed);
}

void System::observe(base::Observer* observer) { impl_->meter.observer = observer; }
void System::observe(base::ProbeObserver* probes) { impl_->meter.probes = probes; }
void System::observe(base::TimelineObserver* timeline) { impl_->meter.timeline = timeline; }

void System::observe_results(base::ResultObserver* observer) {
  TAHOMA_INVARIANT(impl_->functional(), "timing mode computes no values");
  impl_->meter.results = observer;
  for (std::uint32_t n = 0; n < cores(); ++n) impl_->core(n).keep_memories();
}

System::OnChip System::on_chip(std::uint32_t core, isa::Space space) const {
  TAHOMA_INVARIANT(impl_->functional(), "timing mode computes no values");
  sim::ScratchpadIf& memory = impl_->core(core).memory(space);
  return {memory.bytes(), memory.stride()};
}

void System::load(std::uint32_t core, std::shared_ptr<const isa::Program> program, const Arguments& args) {
  TAHOMA_INVARIANT(core < cores(), fmt::format("core {} of {}", core, cores()));
  impl_->params.refuse_dead(chip_of(core), fmt::format("core {} has a program", core));
  for (const auto& stream : program->streams) impl_->instructions_total += stream.size();
  impl_->core(core).load(std::move(program), args);
}

base::RunMeasurement System::run(const std::function<void(const Progress&)>& progress) {
  Impl& m = *impl_;
  if (progress) {
    m.meter.hook = [&m, &progress, last = std::chrono::steady_clock::now()]() mutable {
      const auto t = std::chrono::steady_clock::now();
      if (t - last < std::chrono::milliseconds(100)) return;
      last = t;
      progress({sim::now(), m.meter.instructions, m.instructions_total});
    };
  }
  start_kernel(m.params.time_limit);
  m.meter.hook = nullptr;
  m.meter.rethrow();
  refuse_overtime(m.params.time_limit);
  for (Chip* chip : m.chips)
    for (std::uint32_t n = 0; n < m.params.chip.hbm.stacks; ++n) chip->stack(n).check_ended();
  refuse_deadlock(m.chips, m.params);
  TAHOMA_INVARIANT(m.pool.in_use() == 0, "packets are left in the fabric");
  m.result = measure(m.chips, m.fabric, m.params, m.meter);
  return m.result;
}

void System::collect(base::StatSink& sink) const { list_statistics(impl_->result, sink); }

}  // namespace tahoma::model
