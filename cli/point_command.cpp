// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <memory>

#include "cli/commands.h"
#include "studies/sweep/execution/worker.h"

namespace tahoma::runtime {

using base::ExitStatus;

namespace {

struct SweepPointCommand {
  std::string folder, executor = "local";
  PointOptions options;
};

ExitStatus attempt(const SweepPointCommand& command) {
  return attempt_point(command.folder, command.executor, command.options).is_final() ? ExitStatus::kOk
                                                                                     : ExitStatus::kHost;
}

}  // namespace

void add_point_command(CLI::App& sub, Action& action) {
  const auto command = std::make_shared<SweepPointCommand>();
  sub.add_option("FOLDER", command->folder, "points/ID of a sweep")->required()->type_name("");
  sub.add_option("--time", command->options.limits.time, "Seconds; 0: no limit")->type_name("S");
  sub.add_option("--memory", command->options.limits.memory.count, "Bytes; 0: no limit")->type_name("N");
  sub.add_option("--repeat", command->options.repeat, "Start phases of the run; 0: its own alone")
      ->type_name("N");
  sub.add_flag("--full", command->options.full, "Write all files of a run, not only those of --slim");
  sub.add_option("--executor", command->executor, "Executor that started it")->type_name("NAME");
  sub.callback([command, &action] { action = [command] { return attempt(*command); }; });
}

}  // namespace tahoma::runtime
