// SPDX-License-Identifier: Apache-2.0
// The commands of `tahoma`, one row each, in the order of `tahoma --help`.
#pragma once

#include <span>

#include "cli/commands.h"
#include "model/base/module.h"

namespace tahoma::runtime {

struct CommandRow {
  const char* name;
  const char* doc;
  base::Part<void, CLI::App&, Action&> add;
};
std::span<const CommandRow> command_table();

}  // namespace tahoma::runtime
