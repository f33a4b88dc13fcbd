// SPDX-License-Identifier: Apache-2.0
// Options about tensor checkpoints that several commands have, and how these end.
#pragma once

#include "runtime/checkpoint/checkpoints.h"

namespace CLI {
class App;
}

namespace tahoma::runtime {

void add_checkpoint_options(CLI::App& command, CheckpointOptions& options);  // those of a run
void add_tolerance_options(CLI::App& command, DumpTolerance& tolerance);

// Prints that all are equal if `print`; E-CKP-009 (exit status 1) with the first difference otherwise.
void judge_dumps(const DumpComparison& comparison, bool print);

}  // namespace tahoma::runtime
