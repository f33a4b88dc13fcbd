// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <thread>

#include "cli/commands.h"
#include "cli/options/common_options.h"
#include "cli/options/whole_numbers.h"
#include "runtime/host/progress.h"
#include "studies/whatif/explain.h"
#include "studies/whatif/stored_verdict.h"

namespace tahoma::runtime {

using base::ExitStatus;

namespace {

struct ExplainCommand {
  std::string folder, format = "text";
  std::size_t phases = 0, jobs = std::max(1U, std::thread::hardware_concurrency());
};

ExitStatus explain_run(const ExplainCommand& command) {
  ProgressLine line;
  const Explanation explanation =
      explain(command.folder, config_of_run(command.folder), command.phases, command.jobs,
              [&](std::size_t done, std::size_t of) { line.count(done, of, "runs"); });
  line.clear();
  fmt::print("{}", command.format == "json" ? explanation_json(explanation) : explanation_text(explanation));
  store_verdict(command.folder, explanation);
  explanation.require_complete();
  return ExitStatus::kOk;
}

}  // namespace

void add_explain_command(CLI::App& sub, Action& action) {
  const auto command = std::make_shared<ExplainCommand>();
  sub.add_option("DIR", command->folder, "Folder written by `tahoma run`")->required()->type_name("");
  add_phases(sub, command->phases);
  sub.add_option("--jobs", command->jobs, "Number of parallel runs; default: one per host core")
      ->type_name("N")
      ->check(whole_numbers(1, kMostJobs), "")
      ->default_str("");
  add_choice(sub, "--format", command->format, {"text", "json"},
             "What to print: the table as text or as JSON");
  sub.callback([command, &action] { action = [command] { return explain_run(*command); }; });
}

}  // namespace tahoma::runtime
