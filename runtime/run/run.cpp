// SPDX-License-Identifier: Apache-2.0
#include "runtime/run/run.h"

#include <fmt/format.h>

#include <chrono>
#include <optional>

#include "model/base/error.h"
#include "model/base/quantity.h"
#include "runtime/host/npy_dtype.h"
#include "runtime/host/output_dir.h"
#include "runtime/host/progress.h"
#include "runtime/host/sha256.h"
#include "runtime/page/detail.h"
#include "runtime/page/page.h"
#include "runtime/report/files/collective_report.h"
#include "runtime/report/files/manifest.h"
#include "runtime/report/files/statistics_tables.h"
#include "runtime/report/files/stats_files.h"
#include "runtime/report/files/window_tables.h"
#include "runtime/report/links/link_tables.h"
#include "runtime/report/summary/summary.h"
#include "runtime/report/summary/summary_json.h"
#include "runtime/report/summary/summary_text.h"
#include "runtime/run/simulation.h"

namespace tahoma::runtime {

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

void write_manifest(OutputDir& out, const RunOptions& options, const ResolvedConfig& config,
                    const std::string& config_sha256, const RunCost& cost) {
  Manifest manifest;
  manifest.host = host_facts();
  manifest.cost = cost;
  manifest.command_line = options.command_line;
  manifest.seed = config.run.seed;
  manifest.config_sha256 = config_sha256;
  manifest.files = out.files();
  manifest.files.emplace_back("manifest.json");
  out.write("manifest.json", manifest_json(manifest));
}

void write_tables(OutputDir& out, const ResolvedConfig& config, const Simulated& run,
                  const Summary& summary) {
  out.write("stats.json", stats_json(run.stats.stats()));
  out.write("stats.csv", stats_csv(run.stats.stats()));
  out.write("links.csv", links_csv(run.measurement));
  out.write("links_windows.csv", links_windows_csv(run.measurement));
  out.write("traffic.csv", traffic_csv(config.machine, run.measurement));
  out.write("hbm.csv", hbm_csv(run.measurement));
  out.write("collectives.csv", collectives_csv(run.collectives));
  out.write("regions.csv", regions_csv(summary.facts.regions.regions));
}

// The files for readers instead of programs, and their data.
void write_report(OutputDir& out, const ResolvedConfig& config, const std::string& config_sha256,
                  const Simulated& run, const std::string& summary) {
  using Json = nlohmann::ordered_json;
  out.write("stats.txt", stats_text(run.stats.stats()));
  write_stats_database(out.file("stats.db"), run.stats.stats());
  out.write("engines.csv", engines_csv(run.measurement, run.engines));
  out.write("hbm_windows.csv", hbm_windows_csv(run.measurement));
  out.write("occupancy.csv", occupancy_csv(run.occupancy));
  const std::string detail =
      detail_json(config, config_sha256, run).dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
  out.write("report.json", detail);
  out.write("report.html", run_page({{"", config.workload->describe(), summary, detail}}));
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

}  // namespace

RunOutcome run_workload(const RunOptions& options) {
  const Clock::time_point start = Clock::now();
  const std::unique_ptr<ResolvedConfig> config = resolve_config(options.config);
  if (options.save_outputs && config->mode() != model::Mode::kFunctional)
    throw base::UserError("E-CLI-004", "--save-outputs",
                          "needs functional mode: timing mode computes no values");
  config->machine.record(waves_of(options.waves));
  const TraceSelection selection = trace_selection(options.trace, config->machine);
  Checkpoints checkpoints(options.checkpoints, config->mode());
  OutputDir out(options.out);
  if (!options.checkpoints.dump.empty()) checkpoints.write_to(out.folder("dumps"));
  std::optional<TraceRecorder> trace;
  if (options.trace.wanted) trace.emplace(config->machine, selection, out.file("trace.pftrace"));

  ProgressLine progress;
  const Simulated run =
      simulate(*config,
               {options.golden, options.checks, options.save_outputs, options.report,
                trace ? &*trace : nullptr, options.checkpoints.any() ? &checkpoints : nullptr},
               &progress);
  progress.clear();
  const Summary summary = summary_of(*config, run);
  RunOutcome outcome{
      run.golden, run.checks, summary_text(summary), summary_json(summary), checkpoints.comparison(),
      "",         out.path()};
  if (trace) outcome.trace = tally_text(trace->tally());
  out.write("summary.txt", outcome.summary_text);
  out.write("summary.json", outcome.summary_json);
  write_tables(out, *config, run, summary);
  const std::string yaml = config->to_yaml(), config_sha256 = sha256_of(yaml);
  if (options.report) write_report(out, *config, config_sha256, run, outcome.summary_json);
  out.write("config.resolved.yaml", yaml);
  for (const NamedValues& output : run.outputs)
    write_npy(out.file(output.name + ".npy"), to_npy(output.dtype, output.shape, output.values));
  write_manifest(out, options, *config, config_sha256,
                 {seconds_since(start), run.seconds, run.measurement.instructions});
  out.commit();
  return outcome;
}

}  // namespace tahoma::runtime
