// SPDX-License-Identifier: Apache-2.0
#include "runtime/run.h"

#include <fmt/format.h>

#include <chrono>

#include "model/base/error.h"
#include "runtime/machine.h"
#include "runtime/npy_dtype.h"
#include "runtime/output_dir.h"
#include "runtime/progress.h"
#include "runtime/report/collective_report.h"
#include "runtime/report/link_tables.h"
#include "runtime/report/manifest.h"
#include "runtime/report/sha256.h"
#include "runtime/report/summary.h"
#include "runtime/report/summary_json.h"
#include "runtime/report/summary_text.h"
#include "runtime/report/tables.h"

namespace tahoma::runtime {

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// What the simulation of a run left behind.
struct Simulated {
  base::RunMeasurement measurement;
  base::StatSink stats;
  GoldenResult golden;
  model::check::Findings checks;
  std::vector<NamedValues> outputs;
  std::vector<CollectiveResult> collectives;
  double seconds = 0;  // of the host, inside Machine::run
};

// References are rounded to nearest, so they say nothing about a machine that rounds stochastically.
GoldenResult judge(ResolvedConfig& config, Machine& machine) {
  if (config.machine.chip.core.rounding == "nearest") return config.workload->verify(machine);
  GoldenResult unjudged;
  unjudged.rule = "not checked: references are rounded to nearest, machine.chip.core.rounding is " +
                  config.machine.chip.core.rounding;
  return unjudged;
}

Simulated simulate(ResolvedConfig& config, const RunOptions& options) {
  ProgressLine progress;
  progress.stage("elaborating the machine");
  Machine machine(config.machine, config.mode(), options.checks);
  progress.stage("placing tensors and programs");
  config.workload->prepare(machine, config.run.seed);
  machine.seed(config.run.seed);

  Simulated run;
  progress.stage("starting");
  const Clock::time_point start = Clock::now();
  run.measurement = machine.run([&](const model::Progress& p) { progress.update(p); });
  run.seconds = seconds_since(start);
  run.checks = machine.findings();
  if (machine.functional()) {
    progress.stage("checking against the golden reference");
    if (options.golden) run.golden = judge(config, machine);
    if (options.save_outputs) run.outputs = config.workload->outputs(machine);
  }
  run.collectives = config.workload->collectives(machine, run.measurement);
  machine.collect(run.stats);
  return run;
}

RunFacts facts_of(const ResolvedConfig& config, const Simulated& run) {
  RunFacts facts;
  facts.workload = config.workload->describe();
  facts.machine = config.machine.name;
  facts.mode = config.run.mode;
  facts.seed = config.run.seed;
  facts.useful_flops = config.workload->useful_flops();
  facts.dtype = config.workload->compute_dtype();
  facts.cores_used = config.workload->cores_used();
  facts.golden = run.golden;
  facts.checks = run.checks;
  facts.collectives = run.collectives;
  return facts;
}

void write_manifest(OutputDir& out, const RunOptions& options, const ResolvedConfig& config,
                    const RunCost& cost) {
  Manifest manifest;
  manifest.host = host_facts();
  manifest.cost = cost;
  manifest.command_line = options.command_line;
  manifest.seed = config.run.seed;
  manifest.config_sha256 = sha256_of(config.to_yaml());
  manifest.files = out.files();
  manifest.files.emplace_back("manifest.json");
  out.write("manifest.json", manifest_json(manifest));
}

}  // namespace

RunOutcome run_workload(const RunOptions& options) {
  const Clock::time_point start = Clock::now();
  const std::unique_ptr<ResolvedConfig> config = resolve_config(options.config);
  if (options.save_outputs && config->mode() != model::Mode::kFunctional)
    throw base::UserError("E-CLI-004", "--save-outputs",
                          "needs functional mode: timing mode computes no values");
  OutputDir out(options.out);

  const Simulated run = simulate(*config, options);
  const Summary summary = summarise(facts_of(*config, run), config->machine, run.measurement);
  RunOutcome outcome{run.golden, run.checks, summary_text(summary), summary_json(summary), out.path()};
  out.write("summary.txt", outcome.summary_text);
  out.write("summary.json", outcome.summary_json);
  out.write("stats.json", stats_json(run.stats.stats()));
  out.write("stats.csv", stats_csv(run.stats.stats()));
  out.write("links.csv", links_csv(run.measurement));
  out.write("links_windows.csv", links_windows_csv(run.measurement));
  out.write("traffic.csv", traffic_csv(config->machine, run.measurement));
  out.write("hbm.csv", hbm_csv(run.measurement));
  out.write("collectives.csv", collectives_csv(run.collectives));
  out.write("config.resolved.yaml", config->to_yaml());
  for (const NamedValues& output : run.outputs)
    write_npy(out.file(output.name + ".npy"), to_npy(output.dtype, output.shape, output.values));
  write_manifest(out, options, *config, {seconds_since(start), run.seconds, run.measurement.instructions});
  out.commit();
  return outcome;
}

}  // namespace tahoma::runtime
