// SPDX-License-Identifier: Apache-2.0
// Verilator's runtime calls this when an assertion fails. It raises an error of the run, whereas Verilator's
// default ends the process.
#include <verilated.h>

#include "model/base/error.h"

void vl_stop(const char* file, int line, const char* instance) {
  throw tahoma::base::UserError("E-RTL-006", instance == nullptr ? "" : instance,
                                "an assertion failed, " + std::string(file) + ":" + std::to_string(line),
                                tahoma::base::ExitStatus::kCheckFailed);
}
