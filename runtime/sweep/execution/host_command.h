// SPDX-License-Identifier: Apache-2.0
// Other programs, run to their end without a shell.
#pragma once

#include <string>
#include <vector>

namespace tahoma::runtime {

struct CommandResult {
  int status = 0;    // exit status; 127: there is no such program
  std::string text;  // what it wrote, standard error included
};

// The program is looked for in PATH. Throws std::system_error when the host gives no process.
CommandResult run_command(const std::vector<std::string>& words);

}  // namespace tahoma::runtime
