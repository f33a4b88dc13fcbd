// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "cli/commands.h"
#include "report/area/chip_area.h"
#include "runtime/config/config.h"
#include "runtime/host/json/json_text.h"

namespace tahoma::runtime {

namespace {

struct AreaCommand {
  std::string machine = "trainium2_ultraserver", prices = kDefaultPrices, format = "text";
  std::vector<std::string> overrides;
};

void print_area(const AreaCommand& command) {
  const auto machine = resolve_machine_alone(command.machine, command.overrides);
  const ChipArea area = chip_area(machine->params, machine->tree, read_price_list(command.prices));
  if (command.format == "json")
    fmt::print("{}\n", dump_json(area_json(area), 2));
  else
    fmt::print("{}", area_table(area, machine->params));
}

}  // namespace

void add_area_command(CLI::App& sub, Action& action) {
  const auto command = std::make_shared<AreaCommand>();
  sub.add_option("--machine", command->machine, "Preset, or YAML file of the machine")
      ->type_name("NAME|FILE")
      ->capture_default_str();
  add_overrides(sub, command->overrides,
                "Set a value below machine., such as machine.chip.core.tensor.columns=256; repeatable");
  sub.add_option("--prices", command->prices,
                 "Price list for HBM and package: a shipped one's name, or a YAML file")
      ->type_name("NAME|FILE")
      ->capture_default_str();
  add_choice(sub, "--format", command->format, {"text", "json"}, "What to print");
  sub.callback([command, &action] {
    action = [command] {
      print_area(*command);
      return base::ExitStatus::kOk;
    };
  });
}

}  // namespace tahoma::runtime
