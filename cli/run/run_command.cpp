// SPDX-License-Identifier: Apache-2.0
#include "cli/run/run_command.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <thread>

#include "cli/commands.h"
#include "cli/missing_module.h"
#include "cli/options/checkpoint_options.h"
#include "cli/options/whole_numbers.h"
#include "model/system/parallel/agreement.h"
#include "report/cost/price_list.h"
#include "report/run/run_files.h"
#include "runtime/config/config_files.h"
#include "runtime/golden/golden_verdict.h"
#include "runtime/host/json/json_text.h"
#include "runtime/host/text/text_file.h"
#include "runtime/host/text/whole_file.h"
#include "runtime/mpi/launch.h"
#include "runtime/run/program_checks.h"
#include "studies/whatif/explain.h"
#include "studies/whatif/isolation.h"
#include "studies/whatif/start_phases.h"

namespace tahoma::runtime {

using base::ExitStatus;

namespace {

model::check::Options checks_of(const std::vector<std::string>& names) {
  model::check::Options checks;
  if (names == std::vector<std::string>{"none"}) return checks;
  for (const std::string& name : names)
    if (!enable_check(checks, name))
      throw base::UserError("E-CLI-003", "run",
                            fmt::format("--check: unknown check '{}': expected {}{}", name,
                                        fmt::join(program_check_names(), ", "),
                                        base::did_you_mean(name, program_check_names())));
  return checks;
}

void add_trace_options(CLI::App& sub, TraceRequest& trace) {
  std::vector<std::string> kinds;
  for (const TraceKindRow& row : kTraceKindTable) kinds.push_back(fmt::format("{}: {}", row.name, row.doc));
  sub.add_flag("--trace", trace.wanted, "Write a timeline, trace.pftrace, for ui.perfetto.dev");
  sub.add_option("--trace-from", trace.from, "Omit from the timeline what ended before this time")
      ->type_name("TIME");
  sub.add_option("--trace-until", trace.until, "Omit what begins at this time or later")->type_name("TIME");
  sub.add_option("--trace-cores", trace.cores,
                 "Show these cores, and the links and stacks of their chips: global numbers, ranges of them, "
                 "or names like server0.chip03 and server0.chip03.core5")
      ->type_name("CORE,...")
      ->delimiter(',')
      ->default_str("all");
  sub.add_option("--trace-kinds", trace.kinds, fmt::format("Show these kinds; {}", fmt::join(kinds, "; ")))
      ->type_name("KIND,...")
      ->delimiter(',')
      ->default_str("all");
  sub.add_option("--trace-limit", trace.limit, "Write at most this many events, and count the others")
      ->type_name("N")
      ->default_str("none");
  sub.add_flag(
      "--trace-flows", trace.flows,
      "Draw arrows from the instruction that raises a semaphore, over its transfer, to the one that waited");
}

void add_waves_options(CLI::App& sub, WavesRequest& waves) {
  sub.add_option(
         "--waves", waves.folder,
         "Existing folder for the signals of blocks with model=rtl: one INSTANCE.fst each, for GTKWave")
      ->type_name("DIR")
      ->default_str("none");
  sub.add_option("--waves-from", waves.from, "Omit from the waves what is earlier, in simulated time")
      ->type_name("TIME")
      ->default_str("0 ns");
  sub.add_option("--waves-until", waves.until, "Omit what is at this time or later")
      ->type_name("TIME")
      ->default_str("1000 us");
}

// The case "-" is read from standard input, no further than a configuration may be long. Its relative paths
// start in the working directory.
void read_standard_input(ConfigRequest& config) {
  if (config.workload != "-") return;
  if (launched_rank().count > 1)
    throw base::UserError("E-PAR-003", "WORKLOAD -",
                          "works in one process only: mpirun gives its standard input to process 0 alone; "
                          "expected a file");
  config.workload = "standard input";
  config.text = read_config_text(std::string(kStandardInput)).text;
  offer_standard_input_again(config.text);
}

// Each finding is a line of its own, before the error.
void report_findings(const RunCommand& command, const RunOutcome& outcome) {
  const model::check::Findings& findings = outcome.checks;
  if (findings.total() > 0 && command.harmless)
    if (const std::string why = command.harmless(outcome); !why.empty()) {
      fmt::print(stderr, "warning: {}\n", why);
      return;
    }
  if (std::fflush(stdout) != 0) refuse_write("standard output", errno);
  for (const std::string& text : findings.first()) fmt::print(stderr, "{}\n", text);
  require_clean(findings, false);
}

void report_unfoldable(const RunOutcome& outcome) {
  if (outcome.not_foldable.empty()) return;
  throw base::UserError(
      "E-RUN-074", "--fold verify",
      fmt::format("the folded run differs from the run of the whole machine, which is in {}: {}",
                  outcome.whole_folder, fmt::join(outcome.not_foldable, ", ")),
      ExitStatus::kCheckFailed);
}

std::string parallel_text(const model::ParallelCounts& counts) {
  return fmt::format("{}; {} windows, {} messages between processes, {} bytes", counts.processes,
                     counts.windows, counts.messages, counts.bytes);
}

// Keeps the explanation, which decides the exit status.
ExplainRun explaining(const ConfigRequest& config, std::size_t jobs,
                      std::optional<Explanation>& explanation) {
  return [&config, jobs, &explanation](const auto& progress) -> RunExplanation {
    explanation = explain(config.workload, config, 0, jobs, progress);
    return {explanation->bottlenecks(), explanation_json(*explanation)};
  };
}

}  // namespace

ExitStatus run(RunCommand& command) {
  command.options.golden = !command.no_golden;
  command.options.report = !command.no_report;
  command.options.checks = checks_of(command.checks);
  base::ChoiceRef(command.options.fold, base::Choice<FoldChoice>(kFoldChoices)).set(command.fold);
  command.options.command_line = own_command_line();
  const std::unique_ptr<model::Processes> processes = launched_processes();
  command.options.processes = processes.get();
  std::optional<Explanation> explanation;
  const std::size_t jobs =
      command.jobs > 0 ? command.jobs : std::max(1U, std::thread::hardware_concurrency());
  if (command.explain) command.options.explain = explaining(command.options.config, jobs, explanation);
  if (command.repeat > 0)
    command.options.repeat = [&command, jobs](const auto& progress) {
      const ConfigRequest& config = command.options.config;
      return time_band(config.workload, config, command.repeat, jobs, progress);
    };
  if (command.isolated)
    command.options.isolated = [&command, jobs](const auto& progress) {
      return alone_times(command.options.config, jobs, progress);
    };
  RunOutcome outcome;
  try {
    outcome = run_workload(command.options);
  } catch (const model::ReportedElsewhere&) {
    return ExitStatus::kOk;  // the status of process 0 is that of the run
  }
  if (processes && !processes->reports()) return ExitStatus::kOk;
  if (!outcome.trace.empty()) fmt::print(stderr, "trace.pftrace: {}\n", outcome.trace);
  const bool json = command.format == "json";
  fmt::print("{}", json ? outcome.summary_json : outcome.summary_text);
  if (!json)
    fmt::print("\nfiles in {0}{1}; `tahoma export {0}` writes all tables\n", outcome.folder,
               command.no_report ? "" : "; open report.html in a browser");
  if (!outcome.folding.empty()) fmt::print(stderr, "folding: {}\n", outcome.folding);
  if (processes) fmt::print(stderr, "processes: {}\n", parallel_text(outcome.parallel));
  report_unfoldable(outcome);
  if (outcome.dumps) judge_dumps(*outcome.dumps, !json);
  report_findings(command, outcome);
  if (explanation) explanation->require_complete();
  require_golden(outcome.golden, command.require_golden);
  return ExitStatus::kOk;
}

void add_run_options(CLI::App& sub, RunCommand& command) {
  RunOptions& options = command.options;
  sub.add_option("--machine", options.config.machine,
                 "Preset, or YAML file of the machine; replaces the workload's own")
      ->type_name("NAME|FILE");
  add_overrides(
      sub, options.config.overrides,
      "Set a value below machine. or workload., or kind, mode, seed; repeatable, the last one wins");
  sub.add_option("--mode", options.config.mode, "default: the workload's, else functional")
      ->type_name("functional|timing");
  sub.add_option("--seed", options.config.seed, "Seed of generated inputs; default: the workload's, else 1")
      ->type_name("N");
  sub.add_option("--out", options.out, "Folder for the results; an earlier run's is replaced")
      ->type_name("DIR");
  sub.add_option(
         "--check", command.checks,
         "Watch the program run: races (accesses that no semaphore orders), uninitialised (reads of "
         "memory never written, misuse of accumulation groups), or none; exit status 3 if anything is "
         "found")
      ->type_name("races,uninitialised")
      ->delimiter(',')
      ->default_str(command.checks.empty() ? "none" : fmt::format("{}", fmt::join(command.checks, ",")));
  sub.add_flag("--no-golden", command.no_golden, "Do not check the results against the golden reference");
  sub.add_option(
         "--repeat", command.repeat,
         "Repeat the run in timing mode with N start phases of the throttle and of refreshes, which run "
         "freely on silicon, and show the band of its time: 95 % of the phases with 39, 90 % with 19")
      ->type_name("N")
      ->check(whole_numbers(2, kMostRepetitions), "");
  sub.add_option("--jobs", command.jobs,
                 "Repetitions of the run at the same time; default: one per host core. With --serve: jobs; "
                 "default: 2")
      ->type_name("N")
      ->check(whole_numbers(1, kMostJobs), "")
      ->default_str("");
  sub.add_flag(
      "--isolated", command.isolated,
      "Of a case of several programs (kind colocated): also run each alone, in timing mode, and show "
      "what sharing the machine costs it");
  sub.add_flag("--explain", command.explain,
               "Find the bottleneck: repeat the run in timing mode with one resource at a time made ideal");
  sub.add_flag(
      "--require-golden", command.require_golden,
      "Exit with status 1 if the results were not checked, for instance because the case has no reference");
  sub.add_flag("--slim,--no-report", command.no_report, "Omit report.html and the series over time");
  sub.add_flag(
      "--progress", options.progress,
      "Report progress even where standard error is no terminal: simulated time, events a second and "
      "the time left, a line each second");
  sub.add_option("--page-cores", options.page_cores,
                 "Cores whose time line report.html shows, as for --trace-cores; default: eight of those "
                 "that run a program")
      ->type_name("CORE,...")
      ->delimiter(',')
      ->default_str("");
  sub.add_option("--prices", options.prices,
                 "Price list for the cost of the run: a shipped one's name, or a YAML file "
                 "(report/cost/price_list.h)")
      ->type_name("NAME|FILE")
      ->default_str(kDefaultPrices);
  sub.add_flag("--save-outputs", options.save_outputs, "Save every output tensor as .npy (bf16 as float32)");
  sub.add_flag("--chakra", options.chakra,
               "Write Chakra execution traces of the collectives and the time between them, for ASTRA-sim 2");
  add_trace_options(sub, options.trace);
  add_waves_options(sub, options.waves);
  add_checkpoint_options(sub, options.checkpoints);
  add_choice(
      sub, "--fold", command.fold, base::Choice<FoldChoice>(kFoldChoices).names,
      "Simulate one of each class of equal chips: wherever that is proven to change no result, never, or "
      "with a second run of the whole machine that has to write the same files");
  add_choice(sub, "--format", command.format, {"text", "json"},
             "What to print: the summary as text or as JSON");
  sub.footer(
      "\n`mpirun -n N tahoma run ...` divides the chips among N processes.\n\nFiles in "
      "--out:\n" +
      run_files_text(false) + "\nFiles on demand, from stats.db by `tahoma export OUT [NAME...]`:\n" +
      run_files_text(true));
}

void add_run_command(CLI::App& sub, Action& action) {
  const auto command = std::make_shared<RunCommand>();
  sub.add_option("WORKLOAD", command->options.config.workload,
                 "YAML file of the case to run, or - for standard input")
      ->required()
      ->type_name("");
  add_run_options(sub, *command);
  sub.callback([command, &action] {
    action = [command] {
      read_standard_input(command->options.config);
      return run(*command);
    };
  });
}

}  // namespace tahoma::runtime
