// SPDX-License-Identifier: Apache-2.0
// The `tahoma` command: finds the subcommand, runs it, and converts every exception into one line on
// standard error ("tahoma: place: error[code]: message") and an exit status (base::ExitStatus). Results
// go to standard output.
//
// UserError of the command line itself, exit status 2:
//   E-CLI-001 no command or an unknown one      E-CLI-002 unknown option or unexpected argument
//   E-CLI-003 an option or argument is missing or has an illegal value
// Host errors, exit status 6: E-HOST-001, out of memory or another failed system call.
#pragma once

#include "model/base/error.h"

namespace tahoma::runtime {

base::ExitStatus command_line(int argc, const char* const* argv);

}  // namespace tahoma::runtime
