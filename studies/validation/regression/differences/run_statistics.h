// SPDX-License-Identifier: Apache-2.0
// A run as a list of named values, the form in which runs are kept as goldens and compared:
//   - summary.json, nested keys joined by '.', list items as name[3]; without prose, without lists of single
//     links, stacks and findings, and without the errors against Eigen's reference, whose order of
//     accumulation depends on the host's caches;
//   - the statistics by class of instance: "server*.chip*.core*.dma.blocked_link.total" is the sum over all
//     instances, ".most" the largest of them; statistics that cannot be added (percentiles, means, rates)
//     have only ".most"; a statistic without an instance keeps its name.
// Values of 0 are omitted: a missing value is 0.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/base/stats.h"
#include "report/tables/name_pattern.h"

namespace tahoma::runtime {

struct Statistic {
  std::string name;
  std::string value;            // a number in its shortest form, true, false, null, or a word
  std::uint64_t instances = 0;  // over which a .total was added up; 0: unknown, as in a golden
};
using RunStatistics = std::vector<Statistic>;  // in the order of the report; names are unique

RunStatistics summary_statistics(const std::string& summary_json);

// The same with the items of a list by their names, where each has its own: "regions[gate and up].time_ns".
// For two runs, whose items need not have the same numbers.
RunStatistics named_summary_statistics(const std::string& summary_json);

// The classes whose name without .total or .most matches a pattern; '*' matches any text.
RunStatistics class_statistics(const std::vector<base::Stat>& stats,
                               const std::vector<std::string>& patterns);

// `first`, followed by those of `more` whose names are not in `first`.
RunStatistics joined(RunStatistics first, const RunStatistics& more);

// The statistics that a file of cases keeps by default: memory, DMA, links and the busy time of
// engines. summary.json has the times of the engines by stall reason.
std::vector<std::string> default_patterns();

// The value as a number, if it is one.
std::optional<double> number_of(const std::string& value);

}  // namespace tahoma::runtime
