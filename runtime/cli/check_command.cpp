// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <thread>

#include "runtime/accuracy/accuracy.h"
#include "runtime/cli/commands.h"
#include "runtime/cli/program_files.h"

namespace tahoma::runtime {

using base::ExitStatus;

namespace {

struct CheckCommand {
  std::string path, junit, format = "text";
  AccuracyOptions options;
};

ExitStatus check(CheckCommand& command) {
  command.options.command_line = own_command_line();
  const std::vector<Page> pages = check_accuracy(command.path, command.options);
  ExitStatus status = ExitStatus::kOk;
  for (const Page& page : pages) {
    fmt::print("{}", command.format == "json" ? page_json(page) : page_text(page));
    status = std::max(status, page.status);
  }
  if (!command.junit.empty()) write_file(command.junit, pages_junit(pages));
  return status;
}

}  // namespace

void add_check_command(CLI::App& program, Action& action) {
  const auto command = std::make_shared<CheckCommand>();
  AccuracyOptions& options = command->options;
  options.jobs = std::max(1U, std::thread::hardware_concurrency());
  CLI::App* sub = program.add_subcommand("check",
                                         "Run the cases of a file of checks and lay the model's figures "
                                         "beside silicon's, or its bandwidth under "
                                         "memory traffic beside other simulators'");
  sub->add_option("CHECKS", command->path,
                  "YAML file with the key 'accuracy', or a folder: every such file in it")
      ->required()
      ->type_name("FILE|DIR");
  sub->add_option(
         "--out", options.out,
         "Folder for accuracy.txt, accuracy.json and accuracy.csv; of a folder of checks, a folder each")
      ->type_name("DIR")
      ->default_str("none");
  add_choice(*sub, "--format", command->format, {"text", "json"},
             "What to print: the page as text or as JSON");
  sub->add_option("--family", options.families, "Only this family of figures; repeatable")
      ->type_name("NAME")
      ->allow_extra_args(false)
      ->default_str("all");
  sub->add_option("--junit", command->junit, "Also write the verdicts as JUnit XML")
      ->type_name("FILE")
      ->default_str("none");
  sub->add_option("--jobs", options.jobs, "Cases that run at the same time; default: one per host core")
      ->type_name("N")
      ->check(CLI::PositiveNumber, "")
      ->default_str("");
  add_overrides(*sub, options.overrides,
                "Set a value below machine. in every case; repeatable, the last one wins");
  sub->callback([command, &action] { action = [command] { return check(*command); }; });
}

}  // namespace tahoma::runtime
