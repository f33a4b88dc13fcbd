// SPDX-License-Identifier: Apache-2.0
// A run in several processes, each of which simulates a part of the chips (model/system/parallel). All
// processes read the case, place tensors and programs, and simulate; process 0 alone writes files and prints.
// An error in any process ends all, and process 0 reports it.
//
// UserError E-PAR-001: more processes than chips. E-PAR-002: a process has another binary or another case.
// E-PAR-003: what the run asks for works in one process only: --check, --dump, --compare-with, --explain,
// --repeat, --isolated, --trace, --waves, blocks in SystemVerilog, ports of flits, and --fold verify. A case
// from standard input is refused likewise, before the processes are connected.
#pragma once

#include "model/system/parallel/processes.h"
#include "report/run/run.h"

namespace tahoma::runtime {

// Called by processes that were asked for help or the version only. False in all but the one that prints it;
// E-PAR-002 if others run a case: they would wait for this one.
bool prints_help(model::Processes& processes);

// All processes call this.
void check_parallel(model::Processes& processes, const RunOptions& options, const ResolvedConfig& config);

}  // namespace tahoma::runtime
