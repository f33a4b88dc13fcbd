// SPDX-License-Identifier: Apache-2.0
// Every statistic of a run as JSON and CSV; stats_files.h has the other formats. Equal runs give equal bytes.
#pragma once

#include <string>
#include <vector>

#include "model/base/stats.h"

namespace tahoma::runtime {

// [{"path", "value", "unit", "description"}, ...] and the same as CSV, in the order of collection.
std::string stats_json(const std::vector<base::Stat>& stats);
std::string stats_csv(const std::vector<base::Stat>& stats);

}  // namespace tahoma::runtime
