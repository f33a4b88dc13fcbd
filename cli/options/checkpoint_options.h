// SPDX-License-Identifier: Apache-2.0
// Options for tensor checkpoints that several commands share, and the final verdict of these commands.
#pragma once

#include "report/checkpoint/checkpoints.h"

namespace CLI {
class App;
}

namespace tahoma::runtime {

void add_checkpoint_options(CLI::App& command, CheckpointOptions& options);  // options of a run
void add_tolerance_options(CLI::App& command, DumpTolerance& tolerance);

// Throws E-CKP-009 (exit status 1) with the first difference; if all are equal, prints so if `print`.
void judge_dumps(const DumpComparison& comparison, bool print);

}  // namespace tahoma::runtime
