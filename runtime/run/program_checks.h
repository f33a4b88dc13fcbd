// SPDX-License-Identifier: Apache-2.0
// The checks of a running program by name, and what their findings mean for a command.
#pragma once

#include <string>
#include <vector>

#include "model/system/system.h"

namespace tahoma::runtime {

// races, uninitialised
const std::vector<std::string>& program_check_names();

// Enables the check; returns false if no check has this name.
bool enable_check(model::check::Options& checks, const std::string& name);

// Throws UserError E-RUN-071 with exit status 3 if there are findings: the program is wrong, even if the
// values of this run are right. The message has their number; with `in_full` also the first of them.
void require_clean(const model::check::Findings& findings, bool in_full);

}  // namespace tahoma::runtime
