// SPDX-License-Identifier: Apache-2.0
#include "model/system/system.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <deque>
#include <set>
#include <systemc>

#include "built_modules.h"
#include "model/base/error.h"
#include "model/rtl/blocks/rtl_blocks.h"
#include "model/system/folding/folding.h"
#include "model/system/netlist/deadlock.h"
#include "model/system/netlist/launcher.h"
#include "model/system/netlist/machine_share.h"
#include "model/system/netlist/netlist.h"

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

}  // namespace

struct System::Impl {
  Impl(const MachineParams& p, Mode m, bool ahead, check::Options checks, const StackMaker& maker,
       Processes* processes)
      : params(prepare_kernel(p)),
        mode(m),
        run_ahead(ahead),
        stack_maker(maker),
        fabric(params),
        memory("memory", static_cast<unsigned>(p.chip.hbm.stacks)) {
    sim::Agenda::of_process();  // an object of its own in the netlist, not a part of the first component
    if (checks.any()) {
      const check::Machine watched{static_cast<std::uint32_t>(p.cores()), p.chip.hbm.stacks,
                                   [this](std::uint32_t n) { return std::string(core(n).name()); },
                                   functional(), p.chip.core.version >= isa::CoreVersion::kV4};
      checker = std::make_unique<check::RaceChecker>(checks, watched);
    }
    if (processes != nullptr)
      share = std::make_unique<MachineShare>(*processes, fabric, params, pool, memory, functional());
    if (may_fold() || share) reserve_memories();
    if (!may_fold()) elaborate(unfolded(fabric.topology));
  }

  bool functional() const { return mode == Mode::kFunctional; }
  std::uint32_t chips() const { return static_cast<std::uint32_t>(params.chips()); }

  // The netlist is built when the programs are known, if it may have fewer chips than the machine.
  bool may_fold() const {
    const bool in_rtl = params.link.in_rtl() || params.chip.core.tensor.model == BlockModel::kRtl ||
                        params.chip.core.dma.model == BlockModel::kRtl;
    return !stack_maker && !in_rtl;
  }

  // Control tensors need the memories, and may be of chips that are not simulated.
  void reserve_memories() {
    for (std::uint32_t chip = 0; chip < chips(); ++chip)
      for (std::uint64_t n = 0; n < params.chip.hbm.stacks; ++n)
        memory.add(memories.emplace_back(params.faults_of(chip, n).capacity(params.chip.hbm).count));
  }

  void elaborate(Folding folding) {
    const auto dram = params.chip.hbm.has_dram() ? design_of(params.chip.hbm, 1) : nullptr;
    const bool travel = share && (functional() || !kept.empty());
    const Chip::Shared shared{
        params,      fabric,       pool,      memory,        dram,
        stack_maker, functional(), run_ahead, checker.get(), travel ? &share->peers() : nullptr};
    netlist = std::make_unique<Netlist>(shared, fabric, meter, std::move(folding),
                                        share ? &share->cut() : nullptr, order);
    if (meter.results != nullptr)
      for (std::uint32_t n = 0; n < params.cores(); ++n) core(n).keep_memories();
    if (params.link.in_rtl()) fabric.watch(TAHOMA_MODULE_PART(rtl, rtl::link_ports)());
    if (!memories.empty()) return;
    for (Chip* chip : netlist->chips())
      for (std::uint32_t n = 0; n < params.chip.hbm.stacks; ++n) memory.add(chip->stack(n).host_memory());
  }

  void build() {
    Folding folding = find_classes();
    if (share) share->deal(folding);
    elaborate(std::move(folding));
  }

  NeuronCore& core(std::uint32_t n) const { return netlist->core(n); }

  Folding find_classes() {
    if (!folding_allowed) return unfolded(fabric.topology);
    if (share && (functional() || !kept.empty()))
      return unfolded(fabric.topology, "several processes exchange the values of each of them");
    std::vector<ControlValues> control;
    for (const auto& [address, bytes] : kept) {
      const std::byte* at = memory.at(address, bytes);
      control.push_back({address, {at, at + bytes}});
    }
    const bool matter = functional() || params.chip.hbm.has_dram();
    const bool observed = checker != nullptr || meter.results != nullptr;  // each access or result
    const bool steered = functional() && any_steered_by_values();
    Folding folding =
        find_folding(params, fabric, programs, control, matter ? AddressLaw::kWhole : AddressLaw::kStack,
                     observed || steered ? Foldable::kIdle : Foldable::kEqual);
    if (steered && !folding.folds())
      folding.reason = "values steer the programs, and those of equal chips may differ";
    return folding;
  }

  bool any_steered_by_values() const {
    std::set<const isa::Program*> seen;
    return std::any_of(programs.begin(), programs.end(), [&](const auto& loaded) {
      const isa::Program* program = loaded.second.program.get();
      return seen.insert(program).second && steered_by_values(*program);
    });
  }

  void load_programs() {
    for (const auto& [n, loaded] : programs)
      if (netlist->simulates_core(n)) core(n).load(loaded.program, loaded.arguments);
    netlist->for_each_simulated([this](Chip& chip) {
      for (std::uint32_t n = 0; n < params.chip.cores; ++n) chip.core(n).seed(seed);
    });
    if (functional() && unwritten != std::byte{0})
      for (const auto& [n, loaded] : programs)
        if (netlist->simulates_core(n)) core(n).fill(unwritten);
    if (starts.empty()) return;
    TAHOMA_INVARIANT(!share, "programs that start later than others run in one process");
    launcher = std::make_unique<Launcher>(*netlist, starts);
  }

  base::RunMeasurement run_all() {
    start_kernel(params.time_limit);
    meter.rethrow();
    if (params.time_limit.fs != 0 && sc_core::sc_pending_activity()) refuse_overtime(params.time_limit);
    netlist->check_stacks(params);
    const Unfolding& unfolding = netlist->unfolding();
    refuse_deadlock({blocked_engines(netlist->chips(), params, unfolding)}, sim::now());
    check_idle(netlist->chips(), params);
    TAHOMA_INVARIANT(pool.in_use() == 0, "packets are left in the fabric");
    const FinishedChips finished = netlist->finished();
    const base::Duration elapsed = last_effect(finished, meter);
    std::vector<MeasuredPart> parts;
    parts.push_back(measure_part(finished, fabric, params, meter, elapsed));
    return assemble(std::move(parts), unfolding, fabric, params, elapsed);
  }

  base::RunMeasurement run_share() {
    share->run(*netlist, meter);
    return share->measure(*netlist, meter);
  }

  MachineParams params;  // the netlist refers to it, so it must outlive every module
  Mode mode;
  bool run_ahead, folding_allowed = true;
  StackMaker stack_maker;
  Fabric fabric;
  sim::PayloadPool pool;
  sim::Meter meter;                 // of what belongs to no chip
  std::deque<HostMemory> memories;  // of all stacks, if the netlist may have fewer
  AddressMap memory;
  std::unique_ptr<check::RaceChecker> checker;  // null: no checks
  std::unique_ptr<MachineShare> share;          // of several processes; null: there is one
  LoadedPrograms programs;
  std::vector<ProgramStart> starts;
  std::unique_ptr<Launcher> launcher;                         // null: all programs start with the run
  std::vector<std::pair<std::uint64_t, std::uint64_t>> kept;  // addresses and bytes of control tensors
  std::vector<std::uint32_t> order;                           // of construction; empty: by number
  std::uint64_t seed = 0;
  std::byte unwritten{0};
  std::unique_ptr<Netlist> netlist;  // null: the programs are not known yet
  std::uint64_t instructions_total = 0;
  base::RunMeasurement result;
};

System::System(const MachineParams& params, Mode mode, bool run_ahead, check::Options checks,
               const StackMaker& stacks, Processes* processes)
    : impl_(std::make_unique<Impl>(params, mode, run_ahead, checks, stacks, processes)) {}
System::~System() = default;

const MachineParams& System::params() const { return impl_->params; }
std::uint32_t System::cores() const { return static_cast<std::uint32_t>(impl_->params.cores()); }
std::uint32_t System::chip_of(std::uint32_t core) const {
  return core / static_cast<std::uint32_t>(impl_->params.chip.cores);
}
std::uint32_t System::stack_of(std::uint32_t core) const { return impl_->params.chip.stack_of(core); }

base::Time System::now() const { return sim::now(); }

std::byte* System::hbm(std::uint64_t address, std::uint64_t bytes) {
  TAHOMA_INVARIANT(impl_->functional() || impl_->memory.known().contains(address, bytes),
                   "timing mode computes no values");
  return impl_->memory.at(address, bytes);
}

void System::keep_values(std::uint64_t address, std::uint64_t bytes) {
  impl_->memory.check(address, bytes);
  impl_->memory.known().add(address, bytes);
  impl_->kept.emplace_back(address, bytes);
}

void System::host_wrote(std::uint64_t address, std::uint64_t bytes) {
  if (impl_->checker) impl_->checker->host_wrote(address, bytes);
  if (impl_->share) impl_->share->peers().filled(address, bytes);
}

const check::Findings& System::findings() const {
  static const check::Findings nothing;
  return impl_->checker ? impl_->checker->findings() : nothing;
}

void System::seed(std::uint64_t seed) { impl_->seed = seed; }

void System::unwritten(std::byte contents) { impl_->unwritten = contents; }

void System::allow_folding(bool allowed) { impl_->folding_allowed = allowed; }

void System::elaborate_in(std::vector<std::uint32_t> order) {
  TAHOMA_INVARIANT(!impl_->netlist, "the machine is elaborated already");
  impl_->order = std::move(order);
}
const Folding& System::folding() const { return impl_->netlist->folding(); }

void System::observe(base::Observer* observer) { impl_->meter.observer = observer; }
void System::observe(base::ProbeObserver* probes) { impl_->meter.probes = probes; }
void System::observe(base::TimelineObserver* timeline) { impl_->meter.timeline = timeline; }

void System::observe_results(base::ResultObserver* observer) {
  TAHOMA_INVARIANT(impl_->functional(), "timing mode computes no values");
  impl_->meter.results = observer;
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
  impl_->programs[core] = {std::move(program), args};
}

void System::start(ProgramStart start) {
  impl_->starts.push_back(std::move(start));
  for (const std::uint32_t core : impl_->starts.back().cores) {
    const auto loaded = impl_->programs.find(core);
    TAHOMA_INVARIANT(loaded != impl_->programs.end() && loaded->second.start == 0,
                     fmt::format("core {} has no program, or two starts", core));
    loaded->second.start = static_cast<std::uint32_t>(impl_->starts.size());
  }
}

base::RunMeasurement System::run(const std::function<void(const Progress&)>& progress) {
  Impl& m = *impl_;
  if (!m.netlist) m.build();
  if (progress) {
    using Clock = std::chrono::steady_clock;
    m.meter.hook = [&m, &progress, last = std::make_shared<Clock::time_point>(Clock::now())] {
      const auto t = Clock::now();
      if (t - *last < std::chrono::milliseconds(100)) return;
      *last = t;
      progress({sim::now(), m.netlist->instructions_done(), m.instructions_total, m.netlist->activations()});
    };
  }
  m.load_programs();
  m.netlist->unfold_events(m.meter, m.programs);
  if (m.share) m.share->observe(m.meter);
  m.netlist->observe(m.meter);
  m.result = m.share ? m.run_share() : m.run_all();
  return m.result;
}

const ParallelCounts& System::parallel() const {
  static const ParallelCounts one_process;
  return impl_->share ? impl_->share->counts() : one_process;
}

void System::collect(base::StatSink& sink) const { list_statistics(impl_->result, sink); }

}  // namespace tahoma::model
