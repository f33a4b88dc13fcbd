// SPDX-License-Identifier: Apache-2.0
// Every file of a run, one row each: name, sentence, condition, place and writer. The run writes the rows in
// their order: into its folder, or packed into stats.db, from which `tahoma export` writes them. What follows
// from the statistics is made on demand. `tahoma run --help` lists the rows; the manifest, from which
// OutputDir knows what may be replaced, contains what is in the folder and what can be exported to it. A name
// that is not in the table cannot be written.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "report/run/run.h"
#include "report/store/run_store.h"
#include "runtime/host/output/output_dir.h"
#include "runtime/host/stage_time.h"

namespace tahoma::runtime {

struct Simulated;
struct Summary;
class TraceRecorder;

// This exists before the simulation; components that write while it runs get their files from it.
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
  std::function<std::vector<StageTime>()> stages;
};

enum class RunFilePlace : std::uint8_t {
  kFolder,
  kStore,      // packed in stats.db
  kStatistics  // nowhere: made from the statistics in stats.db
};

// Where a writer puts its file.
class RunFileTarget {
 public:
  RunFileTarget(OutputDir& out, std::string name, RunFilePlace place, StoredFiles& stored)
      : out_(out), name_(std::move(name)), place_(place), stored_(stored) {}
  void text(std::string_view bytes) const;
  std::string file() const { return out_.file(name_); }
  std::string folder() const { return out_.folder(name_); }
  // One of several files that the row stands for; `name` replaces the '*'.
  RunFileTarget part(const std::string& name) const;
  const OutputDir& out() const { return out_; }
  const StoredFiles& stored() const { return stored_; }  // so far

 private:
  OutputDir& out_;
  std::string name_;
  RunFilePlace place_;
  StoredFiles& stored_;
};

struct RunFile {
  const char* name;  // may have one '*'
  const char* doc;
  const char* condition;  // option that it needs, or option that omits it; "" for none
  RunFilePlace place;
  bool (*wanted)(const RunOptions&);
  // A file has one of these three:
  void (*open)(StartingRun&, const RunFileTarget&);               // before the simulation
  void (*write)(const FinishedRun&, const RunFileTarget&);        // after it
  std::string (*text)(const std::vector<base::Stat>&) = nullptr;  // on demand: kStatistics
};
std::span<const RunFile> run_files();

void open_run_files(StartingRun& run, const RunOptions& options, OutputDir& out);
void write_run_files(const FinishedRun& run, OutputDir& out);

// The bytes of a file of a finished run, wherever they are; none if the run has no such file.
std::optional<std::string> run_file(const RunStore& store, const std::string& name);
// Lists what `tahoma export` can write of a run.
std::vector<std::string> exported_names(const RunStore& store);

// Writes one line per file, for help texts: those in the folder, those on demand.
std::string run_files_text(bool on_demand);

}  // namespace tahoma::runtime
