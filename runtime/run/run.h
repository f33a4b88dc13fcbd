// SPDX-License-Identifier: Apache-2.0
// One `tahoma run`, from the command line's words to a complete output folder: resolved configuration,
// machine, tensors and programs, simulation, golden check, report. Whatever the user got wrong is found
// before the simulation starts, but for what only running can tell (no progress, addresses made of
// registers).
//
// UserError beside those of the parts: E-CLI-004 (--save-outputs of a run without values), E-OUT-*.
#pragma once

#include <string>
#include <vector>

#include "runtime/checkpoint/checkpoints.h"
#include "runtime/config/config.h"
#include "runtime/trace/selection.h"

namespace tahoma::runtime {

// As the command line says it. The signals of blocks in SystemVerilog, in files of FST.
struct WavesRequest {
  std::string folder;       // that exists; "": none
  std::string from, until;  // "10 us"
};

struct RunOptions {
  ConfigRequest config;
  std::string out = "out";
  bool golden = true;                     // functional mode only: there is nothing to check in timing mode
  model::check::Options checks;           // what is watched while the program runs
  bool report = true;                     // the page, what it needs, statistics as text and database
  bool save_outputs = false;              // every output tensor as NAME.npy; bf16 as float32
  TraceRequest trace;                     // the timeline, trace.pftrace
  WavesRequest waves;                     // of blocks in SystemVerilog
  CheckpointOptions checkpoints;          // dumps/: values on the way
  std::vector<std::string> command_line;  // for the manifest
};

struct RunOutcome {
  GoldenResult golden;
  model::check::Findings checks;
  std::string summary_text, summary_json;  // as in the folder
  std::optional<DumpComparison> dumps;     // beside a reference
  std::string trace;  // what the timeline shows and what it leaves out; "": there is none
  std::string folder;
};

// Prints nothing but the progress line of a terminal.
RunOutcome run_workload(const RunOptions& options);

}  // namespace tahoma::runtime
