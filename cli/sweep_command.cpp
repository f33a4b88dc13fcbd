// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <thread>

#include "cli/commands.h"
#include "cli/options/whole_numbers.h"
#include "studies/sweep/execution/slurm.h"
#include "studies/sweep/results/pareto.h"
#include "studies/sweep/sweep.h"

namespace tahoma::runtime {

using base::ExitStatus;

namespace {

struct SweepCommand {
  SweepRequest request;
  SweepOptions options;
  std::string out = "out", executor = "local";
  std::size_t jobs = 0;
  bool full_points = false, plan = false;
  SlurmOptions slurm;
};

SweepSpec spec_of(const SweepCommand& command) {
  if (is_sweep(command.request.workload)) {
    if (!command.request.axes.empty())
      throw base::UserError(
          "E-CLI-005", "sweep",
          "--sweep with a sweep file; expected axes either in the file or on the command line");
    return load_sweep(command.request.workload);
  }
  return sweep_of(command.request);
}

Executor executor_of(const SweepSpec& spec, const SweepCommand& command) {
  const PointOptions point{
      .limits = {spec.limits.time, spec.limits.memory}, .repeat = spec.repeat, .full = command.full_points};
  if (command.executor == "slurm") {
    SlurmOptions slurm = command.slurm;
    slurm.jobs = command.jobs;
    slurm.point = point;
    return [slurm](const auto& points, const auto& jobs, const auto& ended, const auto& stop) {
      run_on_slurm(points, jobs, slurm, ended, stop);
    };
  }
  PoolOptions pool;
  pool.jobs = command.jobs > 0 ? command.jobs : std::max(1U, std::thread::hardware_concurrency());
  pool.point = point;
  return [pool](const auto& points, const auto& jobs, const auto& ended, const auto& stop) {
    run_locally(points, jobs, pool, ended, stop);
  };
}

void print_front(const SweepCommand& command) {
  const std::vector<Objective> objectives = objectives_of(command.options.pareto, "--pareto");
  const std::vector<Store::Row> rows = Store::read(command.options.out / "sweep.db");
  fmt::print("\n{}", front_text(pareto_front(rows, objectives), objectives));
}

ExitStatus sweep(SweepCommand& command) {
  const SweepSpec spec = spec_of(command);
  if (command.plan) {
    fmt::print("{}", plan_text(spec));
    return ExitStatus::kOk;
  }
  command.options.out = command.out;
  command.options.command_line = own_command_line();
  command.options.execute = executor_of(spec, command);
  const SweepOutcome outcome = run_sweep(spec, command.options);
  fmt::print("{}", outcome_text(outcome, command.options.out));
  for (const std::string& warning : outcome.warnings) fmt::print(stderr, "tahoma: warning: {}\n", warning);
  if (!command.options.pareto.empty()) print_front(command);
  fmt::print("\nresults in {}: index.html for a browser, sweep.db, points.csv, points/\n", command.out);
  if (outcome.stopped || outcome.pending > 0) return ExitStatus::kHost;
  return outcome.failed > 0 ? ExitStatus::kCheckFailed : ExitStatus::kOk;
}

}  // namespace

void add_sweep_command(CLI::App& sub, Action& action) {
  const auto command = std::make_shared<SweepCommand>();
  sub.add_option("SWEEP", command->request.workload,
                 "YAML file with the key 'sweep', or a workload's, for the axes of --sweep")
      ->required()
      ->type_name("");
  sub.add_option(
         "--sweep", command->request.axes,
         "An axis: PATH=a,b,c or PATH=from..to:step; ';' joins linked ones; repeatable, the last varies "
         "fastest")
      ->type_name("PATH=VALUES")
      ->allow_extra_args(false);
  sub.add_option("--out", command->out, "Folder for the results")->type_name("DIR");
  sub.add_flag("--plan", command->plan,
               "Run nothing: print how many points there are, and which of them would be refused, and why");
  sub.add_flag("--resume", command->options.resume,
               "Resume the sweep in --out: compute the points without a result");
  sub.add_option("--jobs", command->jobs,
                 "Points that run at the same time; default: one per host core, or no limit with Slurm")
      ->type_name("N")
      ->check(whole_numbers(1, kMostJobs), "")
      ->default_str("");
  sub.add_flag(
      "--full-points", command->full_points,
      "Write the pages and the series over time of all points, too; default: points as of tahoma run "
      "--slim");
  add_choice(sub, "--executor", command->executor, {"local", "slurm"},
             "How points run: as processes on this host, or as job arrays of Slurm");
  sub.add_option("--sbatch", command->slurm.sbatch,
                 "With Slurm: an option for sbatch, such as --sbatch=--partition=long; repeatable")
      ->type_name("OPTION")
      ->allow_extra_args(false);
  sub.add_option(
         "--pareto", command->options.pareto,
         "Print the Pareto front of these metrics or expressions and show it in index.html; 'min:' and "
         "'max:' give the direction, else a metric has the one that `tahoma stats` lists, and of others "
         "smaller is better")
      ->type_name("METRIC,METRIC");
  sub.add_option(
         "--columns", command->options.columns,
         "More metrics for points.csv: names, '*' matches any text; 'all' for every metric. By default "
         "it has time, MFU, MBU and what the sweep's metrics and --pareto use")
      ->type_name("METRIC,METRIC");
  sub.add_option("--machine", command->request.machine, "For --sweep: preset or file of the machine")
      ->type_name("NAME|FILE");
  sub.add_option("--mode", command->request.mode, "For --sweep: functional or timing")
      ->type_name("functional|timing");
  sub.add_option(
         "--repeat", command->request.repeat,
         "For --sweep: run each point with N start phases, as `tahoma run --repeat`; the front then takes "
         "times inside each other's bands for equal")
      ->type_name("N")
      ->check(whole_numbers(2, kMostRepetitions), "");
  add_overrides(sub, command->request.overrides, "For --sweep: set a value in every point; repeatable");
  sub.callback([command, &action] { action = [command] { return sweep(*command); }; });
}

}  // namespace tahoma::runtime
