// SPDX-License-Identifier: Apache-2.0
// The goldens of a file of cases: a CSV per case with a line per statistic in the order of the report, so
// that a change of the model reads as a change of lines.
//
// UserError: E-REG-006, a file that is no golden, at its line; E-ACC-002, one that is no CSV; E-RUN-001, one
// that cannot be read. E-OUT-003, one that cannot be written.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "runtime/validation/regression/run_statistics.h"

namespace tahoma::runtime {

std::string golden_path(const std::string& folder, const std::string& case_name);

// Nothing if there is no such file.
std::optional<RunStatistics> read_golden(const std::string& path);
// Replaces the file in one rename.
void write_golden(const std::string& path, const RunStatistics& statistics);

// Names of the cases that have a golden in `folder`, sorted.
std::vector<std::string> goldens_in(const std::string& folder);

}  // namespace tahoma::runtime
