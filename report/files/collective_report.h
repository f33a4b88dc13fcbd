// SPDX-License-Identifier: Apache-2.0
// The collectives of a run in its reports: the block of summary.txt, a table like that of nccom-test with the
// split of the time; the list of summary.json; collectives.csv.
// runtime/collective/result/collective_result.h and time_split.h define the figures.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "model/base/columns.h"
#include "runtime/collective/result/collective_result.h"

namespace tahoma::runtime {

using Collectives = std::vector<CollectiveResult>;

// Returns the columns of summary.json and of collectives.csv; the parts of the time add up to time_ns.
const base::Columns<CollectiveResult>& collective_columns();

std::string collectives_text(const Collectives& collectives);  // "" if there are none
nlohmann::ordered_json collectives_json(const Collectives& collectives);
std::string collectives_csv(const Collectives& collectives);

}  // namespace tahoma::runtime
