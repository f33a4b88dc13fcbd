// SPDX-License-Identifier: Apache-2.0
// Every file that `tahoma run` writes, one row each: name, sentence, condition and writer. The run writes the
// rows in their order; `tahoma run --help` and runtime/README.md list them; the manifest, from which OutputDir
// knows what may be replaced, contains what they wrote. A name that is not in the table cannot be written.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "runtime/host/output_dir.h"
#include "runtime/run/run.h"

namespace tahoma::runtime {

struct Simulated;
struct Summary;
class TraceRecorder;

// What exists before the simulation; components that write while it runs get their files from it.
struct StartingRun {
  const ResolvedConfig& config;
  const TraceSelection& selection;
  Checkpoints& checkpoints;
  std::optional<TraceRecorder>& trace;
};

// A run after its simulation.
struct FinishedRun {
  const RunOptions& options;
  const ResolvedConfig& config;
  const Simulated& run;
  const Summary& summary;
  std::string summary_text, summary_json, config_yaml, config_sha256;
  std::string explanation;  // explain.json; "" if the run was not explained
  std::string detail;       // report.json; "" without a report
  std::function<double()> wall_seconds;
};

// Where a writer puts its file.
class RunFileTarget {
 public:
  RunFileTarget(OutputDir& out, std::string name) : out_(out), name_(std::move(name)) {}
  void text(std::string_view bytes) const { out_.write(name_, bytes); }
  std::string file() const { return out_.file(name_); }
  std::string folder() const { return out_.folder(name_); }
  // One of several files that the row stands for; `name` replaces the '*'.
  RunFileTarget part(const std::string& name) const;
  const OutputDir& out() const { return out_; }

 private:
  OutputDir& out_;
  std::string name_;
};

struct RunFile {
  const char* name;  // may have one '*'
  const char* doc;
  const char* condition;  // option that it needs, or option that omits it; "" for none
  bool (*wanted)(const RunOptions&);
  void (*open)(StartingRun&, const RunFileTarget&);         // before the simulation; or null
  void (*write)(const FinishedRun&, const RunFileTarget&);  // after it; or null
};
std::span<const RunFile> run_files();

void open_run_files(StartingRun& run, const RunOptions& options, OutputDir& out);
void write_run_files(const FinishedRun& run, OutputDir& out);

// One line per file, for the help text.
std::string run_files_text();

}  // namespace tahoma::runtime
