// SPDX-License-Identifier: Apache-2.0
#include "report/run/run.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <optional>

#include "model/base/error.h"
#include "model/base/quantity.h"
#include "report/cost/price_list.h"
#include "report/page/detail.h"
#include "report/run/parallel_run.h"
#include "report/run/run_files.h"
#include "report/run/stored_interval.h"
#include "report/simulation/simulation.h"
#include "report/summary/summary.h"
#include "report/summary/summary_json.h"
#include "report/summary/summary_text.h"
#include "runtime/config/config_files.h"
#include "runtime/host/children.h"
#include "runtime/host/output/output_dir.h"
#include "runtime/host/progress.h"
#include "runtime/host/sha256.h"
#include "runtime/mpi/together.h"
#include "runtime/run/core_selection.h"

namespace tahoma::runtime {

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

std::string detail_text(const ResolvedConfig& config, const std::string& config_sha256,
                        const Simulated& run) {
  using Json = nlohmann::ordered_json;
  return detail_json(config, config_sha256, run).dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

base::Duration time_of(const char* option, const std::string& text) {
  try {
    return base::parse_duration(text);
  } catch (const base::UserError& e) {
    throw base::UserError(e.code, option, e.message);
  }
}

base::WavesWindow waves_of(const WavesRequest& request) {
  base::WavesWindow waves;
  if (request.folder.empty() && !(request.from.empty() && request.until.empty()))
    throw base::UserError("E-CLI-004", request.from.empty() ? "--waves-until" : "--waves-from",
                          "needs --waves: the folder to write waves to");
  waves.folder = request.folder;
  if (!request.from.empty()) waves.from = time_of("--waves-from", request.from);
  if (!request.until.empty()) waves.until = time_of("--waves-until", request.until);
  return waves;
}

// The same run of the whole machine, in a process of its own, into a folder beside the run's.
std::string run_whole(const RunOptions& options) {
  RunOptions whole = options;
  whole.fold = FoldChoice::kOff;
  whole.out = options.out + ".whole";
  const auto body = [&whole]() -> std::string {
    try {
      run_workload(whole);
    } catch (const std::exception& error) {
      return error.what();
    }
    return "";
  };
  const ChildResult child = run_in_children({body}, 1, [](std::size_t) {}).front();
  const std::string& failure = child.failure.empty() ? child.text : child.failure;
  if (!failure.empty())
    throw base::UserError("E-RUN-074", "--fold verify", "the run of the whole machine failed: " + failure,
                          base::ExitStatus::kCheckFailed);
  return whole.out;
}

void compare_with_whole(const std::string& whole, RunOutcome& outcome) {
  outcome.not_foldable = differing_files(outcome.folder, whole);
  if (!outcome.not_foldable.empty()) {
    outcome.whole_folder = whole;
    return;
  }
  std::filesystem::remove_all(whole);
  outcome.folding = (outcome.folding.empty() ? "simulated all chips" : outcome.folding) +
                    "; a run of the whole machine wrote the same files";
}

RunOutcome outcome_of(const RunOptions& options) {
  const Clock::time_point start = Clock::now();
  const bool reports = options.processes == nullptr || options.processes->reports();
  ProgressLine progress(progress_on_stderr(options.progress));
  const auto stage = [&](const char* what) {
    if (reports) progress.stage(what);
  };
  stage("reading the case");
  std::unique_ptr<ResolvedConfig> config;
  std::optional<PriceList> prices;
  TraceSelection selection;
  std::vector<bool> timelines;
  together(options.processes, [&] {
    config = resolve_config(options.config);
    if (options.save_outputs && config->mode() != model::Mode::kFunctional)
      throw base::UserError("E-CLI-004", "--save-outputs",
                            "needs functional mode: timing mode computes no values");
    prices = prices_of(options.prices);
    config->machine.record(waves_of(options.waves));
    selection = trace_selection(options.trace, config->machine);
    if (!options.page_cores.empty())
      timelines = selected_cores("--page-cores", options.page_cores, config->machine);
  });
  if (options.processes != nullptr) check_parallel(*options.processes, options, *config);
  Checkpoints checkpoints(options.checkpoints, config->mode());
  std::optional<OutputDir> out;
  std::optional<TraceRecorder> trace;
  together(options.processes, [&] {
    if (!reports) return;
    out.emplace(options.out);
    StartingRun starting{*config, selection, checkpoints, trace};
    open_run_files(starting, options, *out);
  });

  // Repetitions run in other processes, before this one elaborates its machine.
  RunExplanation explanation;
  if (options.explain) {
    stage("finding the bottleneck");
    explanation = options.explain(
        [&](std::size_t done, std::size_t of) { progress.count(done, of, "runs to find the bottleneck"); });
  }
  std::optional<TimeBand> band;
  if (options.repeat) {
    stage("repeating with other start phases");
    band = options.repeat(
        [&](std::size_t done, std::size_t of) { progress.count(done, of, "runs with other start phases"); });
  }
  std::vector<AloneTimes> alone;
  if (options.isolated) {
    stage("running the programs alone");
    alone = options.isolated(
        [&](std::size_t done, std::size_t of) { progress.count(done, of, "runs of programs alone"); });
  }
  if (options.fold == FoldChoice::kVerify) stage("simulating the whole machine");
  const std::string whole = options.fold == FoldChoice::kVerify ? run_whole(options) : "";
  const Simulated run = simulate(*config,
                                 {.golden = options.golden,
                                  .checks = options.checks,
                                  .fold = options.fold != FoldChoice::kOff,
                                  .outputs = options.save_outputs,
                                  .over_time = options.report,
                                  .timelines = timelines,
                                  .trace = trace ? &*trace : nullptr,
                                  .checkpoints = options.checkpoints.any() ? &checkpoints : nullptr,
                                  .processes = options.processes},
                                 reports ? &progress : nullptr);
  if (!reports) return {};
  stage("writing the files");
  Summary summary = summary_of(*config, run, explanation.bottlenecks, prices);
  summary.facts.band = band;
  summary.facts.together = program_rows(run.together, run.measurement, alone);
  summary.facts.interval = stored_interval(options.config.workload, *config, summary.elapsed);
  RunOutcome outcome{.golden = run.golden,
                     .checks = run.checks,
                     .summary_text = summary_text(summary),
                     .summary_json = summary_json(summary),
                     .dumps = checkpoints.comparison(),
                     .trace = "",
                     .folder = out->path(),
                     .folding = folding_text(run.folding),
                     .not_foldable = {},
                     .whole_folder = "",
                     .parallel = run.parallel};
  if (trace) outcome.trace = tally_text(trace->tally());
  const std::string kept = config->workload->kept_kernel().path;
  const auto from_output = [&](const std::string& path) {
    return !kept.empty() && path == kept ? kKernelFile : path_from(out->path(), path);
  };
  const std::string yaml = config->to_yaml(from_output), config_sha256 = sha256_of(yaml);
  write_run_files({.options = options,
                   .config = *config,
                   .run = run,
                   .summary = summary,
                   .summary_text = outcome.summary_text,
                   .summary_json = outcome.summary_json,
                   .config_yaml = yaml,
                   .config_sha256 = config_sha256,
                   .explanation = explanation.json,
                   .detail = options.report ? detail_text(*config, config_sha256, run) : "",
                   .wall_seconds = [start] { return seconds_since(start); },
                   .stages = [&progress] { return progress.stages(); }},
                  *out);
  out->commit();
  if (!whole.empty()) compare_with_whole(whole, outcome);
  return outcome;
}

}  // namespace

RunOutcome run_workload(const RunOptions& options) {
  return options.config.origins.with_origins([&] { return outcome_of(options); });
}

}  // namespace tahoma::runtime
