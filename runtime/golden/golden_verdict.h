// SPDX-License-Identifier: Apache-2.0
// Turns the outcome of a golden check into the message and exit status of a command.
#pragma once

#include <string>

#include "runtime/golden/golden_result.h"

namespace tahoma::runtime {

// Describes the first mismatch of a failed check; without any, its first result that is not finite.
std::string failure_text(const GoldenResult& golden);

// Throws UserError with exit status 1: E-RUN-070 for a failed check; E-RUN-075 for results that are not
// finite though the inputs are; E-RUN-072 for values that were not checked, if `must_be_checked`.
void require_golden(const GoldenResult& golden, bool must_be_checked);

}  // namespace tahoma::runtime
