// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "cli/commands.h"
#include "cli/program/program_files.h"
#include "isa/validate/validate.h"
#include "runtime/config/config.h"
#include "runtime/run/machine.h"

namespace tahoma::runtime {

namespace {

struct ValidateOptions {
  std::string file, machine;
  std::vector<std::string> overrides;
};

base::ExitStatus validate_file(const ValidateOptions& options) {
  const model::MachineParams machine = resolve_machine_params(options.machine, options.overrides);
  const isa::Program program = read_program(options.file);
  isa::validate(program, limits_of(machine));
  std::size_t instructions = 0;
  for (const auto& stream : program.streams) instructions += stream.size();
  fmt::print("{}: program '{}' is valid: {} instructions, {} descriptors, {} arguments\n", options.file,
             program.name, instructions, program.descriptors.size(), program.args.size());
  return base::ExitStatus::kOk;
}

}  // namespace

void add_validate_command(CLI::App& sub, Action& action) {
  const auto options = std::make_shared<ValidateOptions>();
  sub.add_option("FILE", options->file, "Assembler text or binary program")->required()->type_name("");
  sub.add_option("--machine", options->machine,
                 "Preset, or YAML file of the machine; default: a Trainium2 UltraServer")
      ->type_name("NAME|FILE");
  add_overrides(sub, options->overrides, "Set a value below machine.; repeatable, the last one wins");
  sub.callback([options, &action] { action = [options] { return validate_file(*options); }; });
}

}  // namespace tahoma::runtime
