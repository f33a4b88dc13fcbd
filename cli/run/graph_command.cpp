// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/commands.h"
#include "cli/options/common_options.h"
#include "cli/options/option_origins.h"
#include "cli/options/whole_numbers.h"
#include "cli/run/run_command.h"
#include "frontend/graph/workload/graph_workload.h"
#include "runtime/host/json/json_text.h"

namespace tahoma::runtime {

using base::ExitStatus;

namespace {

struct GraphCommand {
  RunCommand run;
  std::string model, floats = "model";
  std::vector<std::string> inputs, sizes;
  std::uint64_t batch = 0, cores = 1, chips = 0;
  bool plan = false;
};

// Without --machine: the smallest Trainium2 preset with that many chips.
const char* machine_of(std::uint64_t chips) {
  return chips <= 1 ? "trainium2_chip" : chips <= 16 ? "trainium2_server" : "trainium2_ultraserver";
}

// The case that the words describe.
ExitStatus run_graph(GraphCommand& command) {
  nlohmann::json workload{{"model", command.model},
                          {"inputs", fmt::format("{}", fmt::join(command.inputs, "; "))},
                          {"sizes", fmt::format("{}", fmt::join(command.sizes, "; "))},
                          {"batch", command.batch},
                          {"cores", command.cores},
                          {"chips", command.chips},
                          {"floats", command.floats}};
  const nlohmann::json document{
      {"kind", "graph"}, {"machine", machine_of(command.chips)}, {"workload", workload}};
  ConfigRequest& config = command.run.options.config;
  config.workload = command.model;
  config.text = dump_json(document);
  config.origins = option_origins({{"inputs", "--input", fmt::format("{}", fmt::join(command.inputs, " "))},
                                   {"sizes", "--dim", fmt::format("{}", fmt::join(command.sizes, " "))},
                                   {"batch", "--batch", fmt::format("{}", command.batch)},
                                   {"cores", "--cores", fmt::format("{}", command.cores)},
                                   {"chips", "--chips", fmt::format("{}", command.chips)},
                                   {"floats", "--floats", command.floats}},
                                  config.overrides);
  if (!command.plan) return run(command.run);
  const std::unique_ptr<ResolvedConfig> resolved = resolve_config(config);
  fmt::print("{}", config.origins.with_origins(
                       [&] { return workloads::graph_plan(*resolved->workload, resolved->machine); }));
  return ExitStatus::kOk;
}

}  // namespace

void add_graph_command(CLI::App& sub, Action& action) {
  const auto command = std::make_shared<GraphCommand>();
  sub.add_option("MODEL", command->model, "ONNX file")->required()->type_name("");
  sub.add_option("--input", command->inputs,
                 "An input by name; others are generated from the seed; repeatable")
      ->type_name("NAME=FILE.npy")
      ->take_all();
  sub.add_option("--batch", command->batch, "Dimension 0 of every input; 0: as the file says")
      ->type_name("N")
      ->check(whole_numbers(0), "");
  sub.add_option("--dim", command->sizes, "The size of a dimension that has a name; repeatable")
      ->type_name("NAME=N")
      ->take_all();
  sub.add_option("--cores", command->cores, "Cores that share dimension 0 of every input")
      ->type_name("N")
      ->check(whole_numbers(1, 4096), "");
  sub.add_option("--chips", command->chips, "Chips whose cores all share it; 0: as --cores says")
      ->type_name("N")
      ->check(whole_numbers(0, 1024), "");
  add_choice(sub, "--floats", command->floats, {"model", "fp32", "bf16", "fp16"},
             "Type of all floating-point tensors; model: their own");
  sub.add_flag("--plan", command->plan, "Print nodes, kernels, sizes and bounds; run nothing");
  add_run_options(sub, command->run);
  sub.callback([command, &action] { action = [command] { return run_graph(*command); }; });
}

}  // namespace tahoma::runtime
