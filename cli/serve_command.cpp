// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "cli/commands.h"
#include "studies/serving/serve.h"

namespace tahoma::runtime {

using base::ExitStatus;

namespace {

struct ServeCommand {
  serving::ServeOptions options;
  std::string held_back, format = "text";
};

ExitStatus serve(ServeCommand& command) {
  if (!command.held_back.empty()) {
    fmt::print("{}", held_back_text(serving::measure_interpolation(command.options, command.held_back)));
    return ExitStatus::kOk;
  }
  command.options.command_line = own_command_line();
  const serving::ServeOutcome outcome = serving::serve(command.options);
  const bool json = command.format == "json";
  fmt::print("{}", json ? outcome.summary_json : outcome.summary_text);
  if (!json)
    fmt::print("\nfiles in {}: requests.csv, series.csv, summary.json; open report.html in a browser\n",
               outcome.folder);
  return ExitStatus::kOk;
}

}  // namespace

void add_serve_command(CLI::App& sub, Action& action) {
  const auto command = std::make_shared<ServeCommand>();
  command->options.out = "out-serve";
  sub.add_option("FILE", command->options.file,
                 "YAML file with the key 'serving': requests, steps, server and SLO; see tahoma params "
                 "serving; - for standard input")
      ->required()
      ->type_name("");
  sub.add_option("--out", command->options.out, "Folder for the results")->type_name("DIR");
  add_overrides(sub, command->options.overrides,
                "Set a value, such as serving.server.max_sequences=32; repeatable");
  sub.add_option("--held-back", command->held_back,
                 "Simulate nothing: print the error of the interpolation at the executed steps of this CSV "
                 "file, which 'serving.steps' lacks")
      ->type_name("FILE")
      ->default_str("none");
  add_choice(sub, "--format", command->format, {"text", "json"}, "What to print");
  sub.callback([command, &action] { action = [command] { return serve(*command); }; });
}

}  // namespace tahoma::runtime
