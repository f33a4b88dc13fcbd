// SPDX-License-Identifier: Apache-2.0
// The collectives of a run in its reports: the block of summary.txt, a table like that of nccom-test with the
// split of the time; the list of summary.json; collectives.csv.
//
// summary.json: collectives is a list of {name, operation, combiner, algorithm, why, group, ranks, dtype,
// bytes, count, start_ns, time_ns, algorithm_bandwidth and bus_bandwidth (bytes per second), correct (null if
// the values were not checked), slowest_rank: the first rank that ended last, time_split_ns: latency,
// serialisation, contention, reduction and waiting, which add up to time_ns}.
// runtime/collective/result/collective_result.h and time_split.h define them.
// collectives.csv: one line per collective with the same columns; why is the last.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "runtime/collective/result/collective_result.h"

namespace tahoma::runtime {

using Collectives = std::vector<CollectiveResult>;

std::string collectives_text(const Collectives& collectives);  // "" if there are none
nlohmann::ordered_json collectives_json(const Collectives& collectives);
std::string collectives_csv(const Collectives& collectives);

}  // namespace tahoma::runtime
