// SPDX-License-Identifier: Apache-2.0
// `tahoma compare A B`: two folders of `tahoma run`, statistic by statistic. Every statistic of summary.json
// and every class of stats.json takes part, see run_statistics.h.
//
// UserError: E-REG-013, a folder that holds no run; E-REG-014, a file of a run that is not what a run writes.
#pragma once

#include <string>
#include <vector>

#include "runtime/validation/regression/difference.h"
#include "runtime/validation/regression/headline.h"

namespace tahoma::runtime {

struct RunFolder {
  std::string path;
  RunStatistics statistics;
};

RunFolder read_run_folder(const std::string& path);

struct Comparison {
  std::string a, b;  // the folders
  Headline before, after;
  std::size_t compared = 0;  // statistics that either has
  std::vector<DifferenceGroup> groups;
};

Comparison compare_runs(const RunFolder& a, const RunFolder& b);

// The answer: "B is 12.3 % faster: 87.24 us -> 76.50 us, bound by link (66.4 %)". Faster by the share of A's
// time that B does not need.
std::string comparison_headline(const Comparison& comparison);
// At most `most` differences of each subsystem.
std::string comparison_text(const Comparison& comparison, std::size_t most);
std::string comparison_json(const Comparison& comparison);  // all of them

}  // namespace tahoma::runtime
