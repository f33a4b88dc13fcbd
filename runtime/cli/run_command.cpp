// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <memory>

#include "runtime/cli/commands.h"
#include "runtime/run.h"

namespace tahoma::runtime {

using base::ExitStatus;

namespace {

struct RunCommand {
  RunOptions options;
  bool no_golden = false;
  std::string format = "text";
};

// Our own words, as the kernel got them.
std::vector<std::string> own_command_line() {
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  std::vector<std::string> words;
  for (std::string word; std::getline(file, word, '\0');) words.push_back(word);
  return words;
}

ExitStatus run(RunCommand& command) {
  command.options.golden = !command.no_golden;
  command.options.command_line = own_command_line();
  const RunOutcome outcome = run_workload(command.options);
  const bool json = command.format == "json";
  fmt::print("{}", json ? outcome.summary_json : outcome.summary_text);
  if (!json) fmt::print("\nfiles in {}\n", outcome.folder);
  const GoldenResult& golden = outcome.golden;
  if (!golden.checked || golden.passed) return ExitStatus::kOk;
  throw base::UserError("E-RUN-070", "golden check",
                        fmt::format("{} of {} elements are wrong\n{}", golden.mismatches, golden.elements,
                                    golden.first_mismatch),
                        ExitStatus::kCheckFailed);
}

}  // namespace

void add_run_command(CLI::App& program, Action& action) {
  const auto command = std::make_shared<RunCommand>();
  RunOptions& options = command->options;
  CLI::App* sub =
      program.add_subcommand("run", "Run a workload on a machine, check its results and write a report");
  sub->add_option("WORKLOAD", options.config.workload, "YAML file of the case to run")
      ->required()
      ->type_name("");
  sub->add_option("--machine", options.config.machine,
                  "Preset, or YAML file of the machine; replaces the workload's own")
      ->type_name("NAME|FILE");
  add_overrides(
      *sub, options.config.overrides,
      "Set a value below machine. or workload., or kind, mode, seed; repeatable, the last one wins");
  sub->add_option("--mode", options.config.mode, "default: the workload's, else functional")
      ->type_name("functional|timing");
  sub->add_option("--seed", options.config.seed, "Seed of generated inputs; default: the workload's, else 1")
      ->type_name("N");
  sub->add_option("--out", options.out, "Folder for the results; an earlier run's is replaced")
      ->type_name("DIR");
  sub->add_flag("--no-golden", command->no_golden, "Do not check the results against the golden reference");
  sub->add_flag("--save-outputs", options.save_outputs, "Save every output tensor as .npy (bf16 as float32)");
  add_choice(*sub, "--format", command->format, {"text", "json"},
             "What to print: the summary as text or as JSON");
  sub->callback([command, &action] { action = [command] { return run(*command); }; });
}

}  // namespace tahoma::runtime
