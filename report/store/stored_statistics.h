// SPDX-License-Identifier: Apache-2.0
// The statistics of a finished run, from its store or from the file of an older one.
#pragma once

#include <deque>
#include <string>
#include <vector>

#include "model/base/stats.h"
#include "runtime/host/tables/database.h"

namespace tahoma::runtime {

struct StoredStatistics {
  std::deque<std::string> descriptions;  // what Stat::doc points to
  std::vector<base::Stat> stats;         // with the usual `adds` and `better` of their units
};

// Reads the tables of statistics_relation.h. UserError E-SWP-050, std::exception: they are damaged.
StoredStatistics read_statistics(Database& database);

// Reads the text of stats.json. std::exception: it is not valid.
StoredStatistics statistics_of_json(const std::string& text);

}  // namespace tahoma::runtime
