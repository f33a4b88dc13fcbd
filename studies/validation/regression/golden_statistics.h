// SPDX-License-Identifier: Apache-2.0
// The goldens of a file of cases: one CSV file per case with one line per statistic in the order of the
// report, so that a change of the model appears as a diff of lines.
//
// UserError: E-REG-006, a file that is not a golden, at its line; E-ACC-002, not a CSV file; E-RUN-001, a
// file that cannot be read; E-OUT-003, one that cannot be written.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "studies/validation/regression/differences/run_statistics.h"

namespace tahoma::runtime {

std::string golden_statistics_path(const std::string& folder, const std::string& case_name);

// Unset if there is no such file.
std::optional<RunStatistics> read_golden_statistics(const std::string& path);
// Replaces the file with one rename.
void write_golden_statistics(const std::string& path, const RunStatistics& statistics);

// Sorted names of the cases that have a golden in `folder`.
std::vector<std::string> golden_statistics_in(const std::string& folder);

}  // namespace tahoma::runtime
