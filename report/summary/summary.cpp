// SPDX-License-Identifier: Apache-2.0
#include "report/summary/summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "isa/validate/validate.h"
#include "model/base/error.h"
#include "model/base/shares.h"
#include "model/system/statistics/books.h"
#include "report/summary/busiest.h"
#include "report/summary/peak_flops.h"
#include "runtime/host/text/format.h"

namespace tahoma::runtime {

using base::Duration, base::EngineKind, base::RunMeasurement;

namespace {

using Cores = std::set<std::uint32_t>;

Cores active_cores(const RunMeasurement& run) {
  Cores cores;
  for (const auto& engine : run.engines)
    if (engine.instructions > 0) cores.insert(engine.core);
  return cores;
}

// Sums over the engines of a whole machine exceed the range of Duration, so they are doubles of femtoseconds.
double share(double sum, double engines, Duration elapsed) {
  const double whole = engines * static_cast<double>(elapsed.fs);
  return whole <= 0 ? 0 : 100 * sum / whole;
}

EngineSummary engines_of(EngineKind kind, const RunMeasurement& run, const Cores& active) {
  EngineSummary summary;
  summary.kind = kind;
  std::array<double, base::kStallReasons> time{};
  double active_time = 0;
  for (const auto& engine : run.engines) {
    if (engine.kind != kind || !active.contains(engine.core)) continue;
    ++summary.engines;
    summary.instructions += engine.instructions;
    active_time += static_cast<double>(engine.active.fs);
    for (std::size_t i = 0; i < time.size(); ++i) time[i] += static_cast<double>(engine.time[i].fs);
  }
  const auto engines = static_cast<double>(summary.engines);
  summary.active_percent = share(active_time, engines, run.elapsed);
  for (std::size_t i = 0; i < time.size(); ++i) summary.percent[i] = share(time[i], engines, run.elapsed);
  return summary;
}

bool has_kind(const RunMeasurement& run, EngineKind kind) {
  return std::any_of(run.engines.begin(), run.engines.end(),
                     [kind](const auto& e) { return e.kind == kind; });
}

FlopSummary flops_of(const RunFacts& facts, const model::MachineParams& machine, const RunMeasurement& run) {
  FlopSummary flops;
  flops.useful = facts.useful_flops;
  for (const auto& engine : run.engines) flops.hardware += engine.hardware_flops;
  const model::TensorParams& tensor = machine.chip.core.tensor;
  flops.peak_tflops = core_peak_flops(tensor, facts.array_works) * facts.cores_used * 1e-12;
  const double achieved = flops.achieved_tflops(run.elapsed);
  if (facts.stated_flops && achieved > flops.peak_tflops * (1 + 1e-9))
    throw base::UserError(
        "E-RUN-073", facts.workload,
        fmt::format("states {:g} useful FLOPs in {}; expected at most {:g}, the peak of {} cores",
                    flops.useful, time_text(run.elapsed), flops.useful * flops.peak_tflops / achieved,
                    facts.cores_used),
        base::ExitStatus::kProgram);
  TAHOMA_INVARIANT(achieved <= flops.peak_tflops * (1 + 1e-9),
                   fmt::format("{}: {} useful TFLOPS achieved, the peak of {} cores is {}", facts.workload,
                               achieved, facts.cores_used, flops.peak_tflops));
  return flops;
}

// None for an array of the published size, and none without a matmul.
std::optional<ArrayUse> array_of(const model::CoreParams& core, const RunMeasurement& run) {
  const isa::Limits published;
  const auto& tensor = core.tensor;
  if (tensor.rows == published.array_rows && tensor.columns == published.array_columns &&
      core.sbuf.partitions == published.partitions)
    return std::nullopt;
  double streaming = 0, rows = 0, columns = 0, cells = 0;
  for (const auto& engine : run.engines) {
    streaming += static_cast<double>(engine.streaming_cycles);
    rows += static_cast<double>(engine.row_cycles);
    columns += static_cast<double>(engine.column_cycles);
    cells += static_cast<double>(engine.cell_cycles);
  }
  if (streaming == 0) return std::nullopt;
  ArrayUse use;
  use.rows = rows / streaming;
  use.columns = columns / streaming;
  use.idle_percent = 100 * (1 - cells / (streaming * static_cast<double>(tensor.rows * tensor.columns)));
  use.of_rows = tensor.rows;
  use.of_columns = tensor.columns;
  use.partitions = core.sbuf.partitions;
  return use;
}

DmaSummary dma_of(const RunMeasurement& run, const Cores& active) {
  DmaSummary dma;
  double busy = 0, moving = 0, cores = 0;
  for (const auto& core : run.dma) {
    dma.bytes += core.bytes;
    dma.packets += core.packets;
    dma.transfers += core.transfers;
    if (!active.contains(core.core)) continue;
    ++cores;
    busy += static_cast<double>(core.busy.fs);
    moving += static_cast<double>(core.active.fs);
  }
  dma.busy_percent = share(busy, cores * isa::kDmaEngines, run.elapsed);
  dma.active_percent = share(moving, cores, run.elapsed);
  return dma;
}

void check_collectives(const std::vector<CollectiveResult>& collectives) {
  for (const CollectiveResult& c : collectives)
    TAHOMA_INVARIANT(c.split.total() == c.time(),
                     fmt::format("{}: the parts of its time add up to {} fs; expected {} fs", c.name,
                                 c.split.total().fs, c.time().fs));
}

}  // namespace

Summary summarise(const RunFacts& facts, const model::MachineParams& machine, const RunMeasurement& run) {
  model::check_books(run, machine);
  check_collectives(facts.collectives);
  const Cores active = active_cores(run);
  Summary s;
  s.facts = facts;
  s.elapsed = run.elapsed;
  s.instructions = run.instructions;
  s.machine_cores = machine.cores();
  s.active_cores = active.size();
  for (const auto& [name, faults] : machine.instances.chips) s.chip_faults.push_back({name, faults});
  s.flops = flops_of(facts, machine, run);
  for (std::size_t i = 0; i < base::kEngineKinds; ++i) {
    const auto kind = static_cast<EngineKind>(i);
    if (has_kind(run, kind)) s.engines.push_back(engines_of(kind, run, active));
  }
  s.array = array_of(machine.chip.core, run);
  s.dma = dma_of(run, active);
  s.hbm = summarise_hbm(machine, run);
  s.links = summarise_links(machine, run);
  s.busiest = find_busiest(s);
  return s;
}

}  // namespace tahoma::runtime
