// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "cli/commands.h"
#include "cli/program/program_files.h"
#include "isa/text/assembler.h"

namespace tahoma::runtime {

void add_dis_command(CLI::App& sub, Action& action) {
  const auto file = std::make_shared<std::string>();
  sub.add_option("FILE", *file, "Binary program")->required()->type_name("");
  sub.callback([file, &action] {
    action = [file] {
      fmt::print("{}", isa::disassemble(read_binary(*file)));
      return base::ExitStatus::kOk;
    };
  });
}

}  // namespace tahoma::runtime
