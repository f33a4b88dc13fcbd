// SPDX-License-Identifier: Apache-2.0
// The statistics tree as text; stats.json and stats.csv are in statistics_tables.h, stats.db in
// report/store. All four are written from the same list.
#pragma once

#include <string>
#include <vector>

#include "model/base/stats.h"

namespace tahoma::runtime {

// Writes one line each: path, value, unit, and after '#' the description, between two marker lines that
// separate several runs in one file.
std::string stats_text(const std::vector<base::Stat>& stats);

// Every statistic that a run can have, once: instance numbers are '*', values are 0.
std::vector<base::Stat> known_statistics();

}  // namespace tahoma::runtime
