// SPDX-License-Identifier: Apache-2.0
// The intervals of cases, stored beside them: intervals.csv in the folder of a case has a row for each
// configuration that `tahoma sensitivity CASE --store` has measured. A run of the same configuration shows
// the interval and takes no time for it.
//
// A row belongs to a run if the values of workload and machine are equal and the simulated time is. The mode
// and the seed do not matter, because they change no time. A row whose time is another is out of date, and
// the run shows nothing.
//
// UserError in addition to E-ACC-002 and E-ACC-003 of a malformed file: E-CLI-004, the run of a folder has no
// case to store beside.
#pragma once

#include <optional>
#include <string>

#include "model/base/units.h"
#include "report/summary/time_interval.h"
#include "runtime/config/config.h"

namespace tahoma::runtime {

// Returns 16 hexadecimal digits over the kind and all values of workload and machine.
std::string configuration_digest(const ResolvedConfig& config);

// Returns the path of the file beside a case. Throws E-CLI-004 if the case is not a file.
std::string file_of_intervals(const std::string& case_path);

std::optional<TimeInterval> stored_interval(const std::string& case_path, const ResolvedConfig& config,
                                            base::Duration time);

// Replaces the row of the same configuration and keeps the others. Rows are in order of case and digest.
void store_interval(const std::string& case_path, const ResolvedConfig& config, base::Duration time,
                    const TimeInterval& interval);

}  // namespace tahoma::runtime
