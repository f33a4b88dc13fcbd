// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "cli/commands.h"
#include "cli/reference/params_page.h"

namespace tahoma::runtime {

void add_params_command(CLI::App& sub, Action& action) {
  struct Options {
    std::string path, format = "text";
  };
  const auto options = std::make_shared<Options>();
  sub.add_option("PATH", options->path, "A parameter or a group, such as machine.chip.hbm; default: all")
      ->type_name("");
  add_choice(sub, "--format", options->format, {"text", "json"}, "text or json");
  sub.callback([options, &action] {
    action = [options] {
      fmt::print("{}", options->format == "json" ? params_json(options->path) : params_text(options->path));
      return base::ExitStatus::kOk;
    };
  });
}

}  // namespace tahoma::runtime
