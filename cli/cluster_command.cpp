// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "cli/commands.h"
#include "studies/cluster/training_cluster.h"

namespace tahoma::runtime {

namespace {

struct ClusterCommand {
  cluster::ClusterOptions options;
  std::string format = "text";
};

base::ExitStatus compose_cluster(ClusterCommand& command) {
  command.options.command_line = own_command_line();
  const cluster::ClusterOutcome outcome = cluster::compose(command.options);
  const bool json = command.format == "json";
  fmt::print("{}", json ? outcome.summary_json : outcome.summary_text);
  if (!json)
    fmt::print("\nfiles in {}: spans.csv, goodput.csv, summary.json; open report.html in a browser\n",
               outcome.folder);
  return base::ExitStatus::kOk;
}

}  // namespace

void add_cluster_command(CLI::App& sub, Action& action) {
  const auto command = std::make_shared<ClusterCommand>();
  command->options.out = "out-cluster";
  sub.add_option("FILE", command->options.file,
                 "YAML file with the key 'cluster': job, fleet, times, checkpoint, faults; see tahoma "
                 "params cluster; - for standard input")
      ->required()
      ->type_name("");
  sub.add_option("--out", command->options.out, "Folder for the results")->type_name("DIR");
  add_overrides(sub, command->options.overrides,
                "Set a value, such as cluster.fleet.chips=16384; repeatable");
  add_choice(sub, "--format", command->format, {"text", "json"}, "What to print");
  sub.callback([command, &action] { action = [command] { return compose_cluster(*command); }; });
}

}  // namespace tahoma::runtime
