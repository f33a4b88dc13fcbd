// SPDX-License-Identifier: Apache-2.0
#include "report/simulation/simulation.h"

#include <chrono>
#include <optional>

#include "runtime/config/assumptions.h"
#include "runtime/mpi/together.h"
#include "runtime/run/core_name.h"
#include "runtime/run/inputs.h"
#include "runtime/run/machine.h"
#include "runtime/run/programs_hash.h"
#include "runtime/run/stack_balance.h"

namespace tahoma::runtime {

namespace {

using Clock = std::chrono::steady_clock;

GoldenResult unchecked(const std::string& why) {
  GoldenResult result;
  result.rule = "not checked: " + why;
  return result;
}

// An unchecked result has a reason. References are rounded to nearest, so they cannot judge a machine that
// rounds stochastically.
GoldenResult compared(ResolvedConfig& config, Machine& machine) {
  const model::RoundingMode rounding = config.machine.chip.core.rounding;
  if (rounding == model::RoundingMode::kNearest) return config.workload->verify(machine);
  return unchecked("references are rounded to nearest, machine.chip.core.rounding is " +
                   std::string(base::name_in(model::kRoundingModes, rounding)));
}

// A NaN is right where the reference has NaN; but with finite inputs it is hardly intended.
GoldenResult judge(ResolvedConfig& config, Machine& machine, bool wanted) {
  if (!machine.functional()) return unchecked("timing mode computes no values");
  if (!wanted) return unchecked("not requested (--no-golden)");
  GoldenResult result = compared(config, machine);
  if (result.results == 0)
    for (const NamedValues& output : config.workload->outputs(machine)) result.count_not_finite(output);
  result.refuses_not_finite =
      config.run.not_finite == NotFinite::kRefused && values_of_files().not_finite == 0;
  return result;
}

RunFacts facts_of(const ResolvedConfig& config, const Simulated& run) {
  RunFacts facts;
  facts.workload = config.workload->describe();
  facts.machine = config.machine.name;
  facts.mode = name_of(config.run.mode);
  facts.seed = config.run.seed;
  facts.useful_flops = config.workload->useful_flops();
  facts.stated_flops = config.workload->states_flops();
  facts.array_works = config.workload->array_works();
  facts.cores_used = config.workload->cores_used();
  facts.golden = run.golden;
  facts.checks = run.checks;
  facts.collectives = run.collectives;
  facts.figures = run.figures;
  facts.together = program_rows(run.together, run.measurement, {});
  facts.regions = run.regions;
  facts.hot_spots = hot_spots(run.lines);
  facts.path = run.path;
  facts.programs = run.programs;
  facts.energy = run.energy;
  if (const FileValues files = values_of_files(); !files.beyond_range.empty())
    facts.warnings.push_back(files.beyond_range);
  if (const std::string uneven = uneven_stacks(config.machine.chip, run.measurement); !uneven.empty())
    facts.warnings.push_back(uneven);
  facts.assumed = assumptions_of(config.machine_tree, config.machine, run.measurement).in_use.size();
  return facts;
}

// The cores whose time line the page has unless others are requested: those that run programs, or eight of
// them, from the first to the last at equal distances.
std::vector<std::uint32_t> timeline_cores(const std::vector<bool>& requested, const Machine& machine) {
  constexpr std::size_t kMostTimelines = 8;
  std::vector<std::uint32_t> running;
  for (const auto& [core, program] : machine.programs())
    if (requested.empty() || requested[core]) running.push_back(core);
  if (!requested.empty() || running.size() <= kMostTimelines) return running;
  std::vector<std::uint32_t> some;
  for (std::size_t n = 0; n < kMostTimelines; ++n)
    some.push_back(running[n * (running.size() - 1) / (kMostTimelines - 1)]);
  return some;
}

// The recorders of what the page shows over time, if requested.
class OverTime {
 public:
  OverTime(bool wanted, const std::vector<bool>& timelines, Machine& machine) {
    if (!wanted) return;
    engines_.emplace(machine.params().cores());
    timeline_.emplace(machine.params().cores(), timeline_cores(timelines, machine));
    machine.observe(&*timeline_);
    occupancy_.emplace(machine.params(), machine.tensors());
    for (const auto& [core, program] : machine.programs()) occupancy_->program(core, program);
    machine.observe(&*engines_);
    machine.observe(&*occupancy_);
  }
  void take(Simulated& run, TraceRecorder* trace) {
    if (!engines_) return;
    run.engines = engines_->engines();
    run.timeline = timeline_->tracks();
    const auto draw = [&](const InstanceOccupancy& o) { trace->occupancy(o, run.measurement.elapsed); };
    run.occupancy =
        occupancy_->summarise(run.measurement.elapsed, trace == nullptr ? OccupancyRecorder::Each{} : draw);
  }

 private:
  std::optional<EngineRecorder> engines_;
  std::optional<CoreTimeline> timeline_;
  std::optional<OccupancyRecorder> occupancy_;
};

void watch(Machine& machine, TraceRecorder* trace) {
  if (trace == nullptr) return;
  for (const auto& [core, program] : machine.programs()) trace->program(core, program);
  trace->clock([&machine] { return machine.now(); });
  machine.observe(static_cast<base::Observer*>(trace));
  machine.observe(static_cast<base::TimelineObserver*>(trace));
}

// A machine with its programs, and what observes it.
struct Setup {
  Setup(ResolvedConfig& config, const SimulationOptions& options)
      : machine(config.machine, config.mode(), options.checks, options.processes),
        regions(config.machine),
        work(config.machine.cores(), config.machine.chip.cores),
        path(config.machine.cores(), config.machine.chip.core.dma.start_up),
        lines(config.machine, path) {}

  void load(ResolvedConfig& config, const SimulationOptions& options) {
    config.workload->prepare(machine, config.run.seed);
    machine.seed(config.run.seed);
    machine.unwritten(static_cast<std::byte>(config.run.unwritten));
    machine.allow_folding(options.fold);
    for (const auto& [core, program] : machine.programs()) {
      regions.program(core, program);
      work.program(core, program);
      lines.program(core, program);
    }
    machine.observe(&regions);
    machine.observe(&work);
    machine.observe(&path);
    if (lines.any()) machine.observe(&lines);
    const bool occupancy = options.trace != nullptr && options.trace->wants(TraceKind::kOccupancy);
    over_time.emplace(options.over_time || occupancy, options.timelines, machine);
    watch(machine, options.trace);
    if (options.checkpoints != nullptr) options.checkpoints->attach(machine);
  }

  Machine machine;
  RegionRecorder regions;
  WorkRecorder work;
  CriticalPath path;
  LineRecorder lines;
  std::optional<OverTime> over_time;
};

}  // namespace

Simulated simulate(ResolvedConfig& config, const SimulationOptions& options, ProgressLine* progress) {
  const auto stage = [&](const char* what) {
    if (progress != nullptr) progress->stage(what);
  };
  std::optional<Setup> setup;
  together(options.processes, [&] {
    stage("elaborating the machine");
    setup.emplace(config, options);
    stage("placing tensors and programs");
    setup->load(config, options);
  });
  auto& [machine, regions, work, path, lines, over_time] = *setup;

  Simulated run;
  run.programs = programs_hash(machine);
  stage("simulating");
  const Clock::time_point start = Clock::now();
  run.measurement = machine.run([&](const model::Progress& p) {
    if (progress != nullptr) progress->update(p);
  });
  run.seconds = std::chrono::duration<double>(Clock::now() - start).count();
  if (options.processes != nullptr && !options.processes->reports()) return run;
  stage("collecting the results");
  run.parallel = machine.parallel();
  run.checks = machine.findings();
  run.folding = machine.folding();
  run.regions = regions.summarise(run.measurement);
  run.energy =
      energy_ledger(config.machine, run.measurement, work.finish(), provenance_in(config.machine_tree));
  run.lines = lines.summarise(run.measurement);
  run.loaded = machine.programs();
  run.path = summarise_path(
      path, run.measurement.elapsed, run.loaded,
      [&](std::uint32_t core) { return core_path(config.machine, core); }, path_costs(config.machine));
  over_time->take(run, options.trace);
  if (options.trace != nullptr) options.trace->finish(run.measurement);
  if (options.checkpoints != nullptr) options.checkpoints->finish(run.measurement.elapsed);
  if (machine.functional()) stage("checking against the golden reference");
  run.golden = judge(config, machine, options.golden);
  if (machine.functional()) stage("collecting the results");
  if (machine.functional() && options.outputs) run.outputs = config.workload->outputs(machine);
  run.collectives = config.workload->collectives(machine, run.measurement);
  run.messages = config.workload->messages(machine);
  run.together = config.workload->programs();
  run.figures = config.workload->figures(machine, run.measurement);
  machine.collect(run.stats);
  return run;
}

Summary summary_of(const ResolvedConfig& config, const Simulated& run,
                   const std::optional<Bottlenecks>& bottlenecks, const std::optional<PriceList>& prices) {
  RunFacts facts = facts_of(config, run);
  facts.bottlenecks = bottlenecks;
  facts.area = chip_area(config.machine, config.machine_tree, prices);
  if (prices)
    facts.cost = priced_run(*prices, static_cast<double>(config.machine.chips()), facts.energy->wall_watts,
                            run.measurement.elapsed, run.figures);
  return summarise(facts, config.machine, run.measurement);
}

}  // namespace tahoma::runtime
