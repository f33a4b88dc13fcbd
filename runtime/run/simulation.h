// SPDX-License-Identifier: Apache-2.0
// A resolved configuration simulated once, from elaboration to the golden check, and what was measured.
// Writes no file. One elaboration: once per process.
#pragma once

#include <vector>

#include "model/base/measurements.h"
#include "model/base/stats.h"
#include "runtime/checkpoint/checkpoints.h"
#include "runtime/config/config.h"
#include "runtime/host/progress.h"
#include "runtime/report/files/engine_windows.h"
#include "runtime/report/memory/occupancy.h"
#include "runtime/report/summary/summary.h"
#include "runtime/trace/recorder.h"

namespace tahoma::runtime {

struct SimulationOptions {
  bool golden = true;                  // functional mode only: there is nothing to check in timing mode
  model::check::Options checks;        // what is watched while the program runs
  bool outputs = false;                // keep the values of every output tensor; functional mode only
  bool over_time = false;              // watch engines and memories window by window
  TraceRecorder* trace = nullptr;      // null: no timeline is wanted
  Checkpoints* checkpoints = nullptr;  // null: none are taken
};

struct Simulated {
  base::RunMeasurement measurement;
  base::StatSink stats;
  GoldenResult golden;
  model::check::Findings checks;
  std::vector<NamedValues> outputs;
  std::vector<CollectiveResult> collectives;
  std::vector<WorkloadFigure> figures;
  RegionRecorder::Summaries regions;
  std::vector<EngineRecorder::Engine> engines;  // these two: over time, if asked for
  std::vector<SpaceOccupancy> occupancy;
  double seconds = 0;  // of the host, inside Machine::run
};

// `progress` may be null: nobody watches.
Simulated simulate(ResolvedConfig& config, const SimulationOptions& options, ProgressLine* progress);

Summary summary_of(const ResolvedConfig& config, const Simulated& run);

}  // namespace tahoma::runtime
