// SPDX-License-Identifier: Apache-2.0
// A run as a list of named values, the form in which runs are kept as goldens and compared:
//   - summary.json, nested keys joined by '.', list items as name[3]; without prose, without lists of single
//     links, stacks and findings, and without the errors against Eigen's reference, whose order of
//     accumulation follows the host's caches;
//   - stats.json by class of instance: "server*.chip*.core*.dma.blocked_link.total" is the sum over all
//     instances, ".most" the largest of them; statistics that cannot be added (percentiles, means, rates)
//     have
//     ".most" alone; what has no instance keeps its name.
// A number that is 0 is left out: a value that is not there is 0.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/base/stats.h"

namespace tahoma::runtime {

struct Statistic {
  std::string name;
  std::string value;  // a number in its shortest form, true, false, null, or a word
};
using RunStatistics = std::vector<Statistic>;  // in the order of the report; names are unique

RunStatistics summary_statistics(const std::string& summary_json);

// Those of which a pattern takes the class name without its .total or .most; '*' stands for any text.
RunStatistics class_statistics(const std::vector<base::Stat>& stats,
                               const std::vector<std::string>& patterns);

// `first` and behind it those of `more` whose names are not there yet.
RunStatistics joined(RunStatistics first, const RunStatistics& more);

// What a file of cases keeps of stats.json unless it says otherwise: memory, DMA, links and how busy the
// engines are. The times of the engines by reason stand in summary.json.
std::vector<std::string> default_patterns();

// Whether `name` is `pattern`, in which '*' stands for any text.
bool matches_pattern(const std::string& name, const std::string& pattern);

// The number that a value is, if it is one.
std::optional<double> number_of(const std::string& value);

}  // namespace tahoma::runtime
