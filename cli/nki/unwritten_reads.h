// SPDX-License-Identifier: Apache-2.0
// Reads of bytes that nothing has written, which change no output: a warning, as for a call from Python.
#pragma once

#include <string>

#include "report/run/run.h"

namespace tahoma::runtime {

// What to say if all findings are such reads of SBUF or PSUM; "": they are errors. Runs the case again with
// each byte 0, and with 0xff, which is NaN in every floating-point type, and compares the outputs.
std::string harmless_reads(const RunOutcome& outcome);

}  // namespace tahoma::runtime
