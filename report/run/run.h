// SPDX-License-Identifier: Apache-2.0
// One `tahoma run`, from the command line to a complete output folder: resolved configuration, machine,
// tensors and programs, simulation, golden check, report. All errors of the user are found before the
// simulation starts, except those that only the run can show (no progress, addresses from registers).
//
// UserError, in addition to those of the parts: E-CLI-004 (--save-outputs of a run without values), E-CST-*
// (--prices), E-OUT-*.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "model/system/parallel/counts.h"
#include "model/system/parallel/processes.h"
#include "report/checkpoint/checkpoints.h"
#include "report/files/folding_report.h"
#include "report/files/program_report.h"
#include "report/summary/bottleneck.h"
#include "report/summary/time_band.h"
#include "report/trace/selection.h"
#include "runtime/config/config.h"

namespace tahoma::runtime {

// The command line's request for the signals of SystemVerilog blocks, in FST files.
struct WavesRequest {
  std::string folder;       // must exist; "": none
  std::string from, until;  // "10 us"
};

// Repetitions of a run yield this for its summary and its folder.
struct RunExplanation {
  std::optional<Bottlenecks> bottlenecks;
  std::string json;  // explain.json
};
// Repeats a run to find its bottleneck (`progress` counts the repetitions), in processes of its own.
using ExplainRun =
    std::function<RunExplanation(const std::function<void(std::size_t done, std::size_t of)>& progress)>;

// Repeats a run with other start phases, in processes of its own.
using RepeatRun =
    std::function<TimeBand(const std::function<void(std::size_t done, std::size_t of)>& progress)>;

// Runs each program of a case of several alone, in processes of its own.
using IsolatedRuns = std::function<std::vector<AloneTimes>(
    const std::function<void(std::size_t done, std::size_t of)>& progress)>;

struct RunOptions {
  ConfigRequest config;
  std::string out = "out";
  bool golden = true;            // functional mode only, because timing mode computes no values
  model::check::Options checks;  // checks of the running program
  ExplainRun explain;            // empty: the run is not explained (studies/whatif/explain.h)
  RepeatRun repeat;              // empty: it is not repeated (studies/whatif/start_phases.h)
  IsolatedRuns isolated;         // empty: programs are not run alone (studies/whatif/isolation.h)
  bool report = true;            // the page and the series over time
  bool progress = false;         // lines of progress even where there is no terminal
  std::vector<std::string>
      page_cores;       // whose time line the page has, like TraceRequest::cores; empty: a choice of eight
  std::string prices;   // a price list's name or path; "": the default, if it is installed
  bool chakra = false;  // execution traces of the ranks, chakra.N.et (report/execution_trace/run_trace.h)
  bool save_outputs = false;      // every output tensor as NAME.npy; bf16 as float32
  TraceRequest trace;             // the timeline, trace.pftrace
  WavesRequest waves;             // of blocks in SystemVerilog
  CheckpointOptions checkpoints;  // dumps/: intermediate values
  FoldChoice fold = FoldChoice::kAuto;
  model::Processes* processes =
      nullptr;  // that share the run (report/run/parallel_run.h); null: this one alone
  std::vector<std::string> command_line;  // for the manifest
};

struct RunOutcome {
  GoldenResult golden;
  model::check::Findings checks;
  std::string summary_text, summary_json;  // as in the folder
  std::optional<DumpComparison> dumps;     // compared with a reference
  std::string trace;                       // what the timeline shows and what it omits; "": no timeline
  std::string folder;
  std::string folding;                    // folding_text(), and what --fold verify found; "": nothing to say
  std::vector<std::string> not_foldable;  // --fold verify: files that differ from those of the whole machine
  std::string whole_folder;               // of the whole machine, kept if files differ
  model::ParallelCounts parallel;         // what several processes have exchanged
};

// Prints nothing but the progress line of a terminal. With several processes, process 0 returns the outcome,
// and the others an empty one. Errors about the case name its origins (config.origins), if it has some.
RunOutcome run_workload(const RunOptions& options);

}  // namespace tahoma::runtime
