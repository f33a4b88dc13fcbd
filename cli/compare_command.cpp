// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "cli/commands.h"
#include "cli/options/checkpoint_options.h"
#include "cli/options/whole_numbers.h"
#include "studies/sweep/results/sweep_comparison.h"
#include "studies/validation/regression/golden_comparison.h"

namespace tahoma::runtime {

using base::ExitStatus;

namespace {

struct CompareCommand {
  std::string a, b, format = "text", metric = "simulated_time_ns";
  std::size_t lines = 12;
  bool dumps = false;
  DumpTolerance tolerance;
};

ExitStatus compare(const CompareCommand& command) {
  check_tolerance(command.tolerance, command.dumps, "--dumps");
  if (command.dumps) {
    const DumpComparison dumps = compare_dumps(command.a, command.b, command.tolerance);
    const bool json = command.format == "json";
    if (json) fmt::print("{}", dumps.json());
    judge_dumps(dumps, !json);
    return ExitStatus::kOk;
  }
  if (is_sweep_folder(command.a) && is_sweep_folder(command.b)) {
    const SweepComparison sweeps = compare_sweeps(command.a, command.b, command.metric);
    fmt::print("{}",
               command.format == "json" ? comparison_json(sweeps) : comparison_text(sweeps, command.lines));
    return ExitStatus::kOk;
  }
  const Comparison comparison = compare_runs(read_run_folder(command.a), read_run_folder(command.b));
  fmt::print("{}", command.format == "json" ? comparison_json(comparison)
                                            : comparison_text(comparison, command.lines));
  return ExitStatus::kOk;
}

}  // namespace

void add_compare_command(CLI::App& sub, Action& action) {
  const auto command = std::make_shared<CompareCommand>();
  sub.add_option("A", command->a, "Folder of tahoma run or tahoma sweep: the baseline")
      ->required()
      ->type_name("DIR");
  sub.add_option("B", command->b, "Folder of the same kind: the changed one")->required()->type_name("DIR");
  sub.add_option("--lines", command->lines, "Number of differences per subsystem, or of points, in the text")
      ->type_name("N")
      ->check(whole_numbers(1), "");
  sub.add_option("--metric", command->metric, "For two sweeps: the metric to compare")->type_name("NAME");
  sub.add_flag("--dumps", command->dumps,
               "Compare the values that tahoma run --dump wrote, with A as the reference, and show the first "
               "instruction whose result differs; exit status 1 if any does");
  add_tolerance_options(sub, command->tolerance);
  add_choice(sub, "--format", command->format, {"text", "json"}, "What to print");
  sub.callback([command, &action] { action = [command] { return compare(*command); }; });
}

}  // namespace tahoma::runtime
