// SPDX-License-Identifier: Apache-2.0
// What the outcome of a golden check means for a command.
#pragma once

#include "runtime/run/workload.h"

namespace tahoma::runtime {

// Throws UserError with exit status 1: E-RUN-070 for a failed check, with the first mismatch; E-RUN-072 for
// values that were not checked, if `must_be_checked`.
void require_golden(const GoldenResult& golden, bool must_be_checked);

}  // namespace tahoma::runtime
