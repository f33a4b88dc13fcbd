// SPDX-License-Identifier: Apache-2.0
// Simulates a resolved configuration once, from elaboration to the golden check, and returns the
// measurements. Writes no files. SystemC elaborates once, so call it once per process.
#pragma once

#include <vector>

#include "model/base/measurements.h"
#include "model/base/stats.h"
#include "model/system/folding/classes.h"
#include "model/system/parallel/counts.h"
#include "model/system/parallel/processes.h"
#include "report/checkpoint/checkpoints.h"
#include "report/energy/energy_ledger.h"
#include "report/files/engine_windows.h"
#include "report/lines/line_recorder.h"
#include "report/memory/occupancy.h"
#include "report/path/path_summary.h"
#include "report/summary/summary.h"
#include "report/timeline/core_timeline.h"
#include "report/trace/recorder.h"
#include "runtime/config/config.h"
#include "runtime/host/progress.h"

namespace tahoma::runtime {

struct SimulationOptions {
  bool golden = true;                     // functional mode only: timing mode computes no values to check
  model::check::Options checks;           // checks that are active while the program runs
  bool fold = true;                       // simulate equal chips once, where the model allows it
  bool outputs = false;                   // keep the values of every output tensor; functional mode only
  bool over_time = false;                 // record engines and memories over time, for the page
  std::vector<bool> timelines;            // the cores whose time line is recorded; empty: a choice of eight
  TraceRecorder* trace = nullptr;         // null: no timeline
  Checkpoints* checkpoints = nullptr;     // null: no checkpoints
  model::Processes* processes = nullptr;  // that share the machine; null: this one alone
};

struct Simulated {
  base::RunMeasurement measurement;
  model::Folding folding;
  model::ParallelCounts parallel;
  base::StatSink stats;
  GoldenResult golden;
  model::check::Findings checks;
  std::vector<NamedValues> outputs;
  std::vector<CollectiveResult> collectives;
  std::vector<MessageResult> messages;
  std::vector<WorkloadFigure> figures;
  std::vector<ProgramTimes> together;  // programs that share the machine
  RegionRecorder::Summaries regions;
  EnergyLedger energy;
  PathSummary path;
  LineTimes lines;                              // of programs that know their source
  std::vector<EngineRecorder::Engine> engines;  // engines, timeline and occupancy: over time, if requested
  std::vector<CoreTimeline::Track> timeline;
  std::vector<SpaceOccupancy> occupancy;
  Programs loaded;       // the programs that the cores executed
  double seconds = 0;    // host time inside Machine::run
  std::string programs;  // programs_hash()
};

// `progress` may be null. With several processes, all but process 0 return an empty result.
Simulated simulate(ResolvedConfig& config, const SimulationOptions& options, ProgressLine* progress);

// Without prices the summary has no cost.
Summary summary_of(const ResolvedConfig& config, const Simulated& run,
                   const std::optional<Bottlenecks>& bottlenecks = std::nullopt,
                   const std::optional<PriceList>& prices = std::nullopt);

}  // namespace tahoma::runtime
