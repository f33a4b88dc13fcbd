// SPDX-License-Identifier: Apache-2.0
// `tahoma compare A B`: compares two folders of `tahoma run` statistic by statistic. The comparison includes
// every statistic of summary.json and every class of statistics, see run_statistics.h. Energy and cost follow
// from these and from parameters, so only the energy of the chips in use is shown, beside the statistics.
//
// UserError: E-REG-013, a folder without a run; E-REG-014, a summary that `tahoma run` did not write;
// E-REP-004 and 005, its statistics (report/store/run_store.h).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "report/summary/time_band.h"
#include "studies/validation/regression/differences/headline.h"
#include "studies/validation/regression/differences/leading_changes.h"

namespace tahoma::runtime {

struct RunFolder {
  std::string path;
  RunStatistics statistics;        // items of lists by their names
  std::string workload{};          // in one line
  std::string programs{};          // runtime/run/programs_hash.h; "" if the run does not say
  std::optional<double> joules{};  // of the chips in use; none if the run does not say
  std::optional<TimeBand> band{};  // of tahoma run --repeat
};

RunFolder read_run_folder(const std::string& path);

struct Comparison {
  std::string a, b;  // the folders
  Headline before, after;
  std::size_t compared = 0;  // statistics on either side
  std::vector<DifferenceGroup> groups;
  LeadingChanges leads;           // of the groups
  bool other_programs = false;    // A and B executed different programs
  std::string other_workloads{};  // "A is 'gemm ...', B is 'all_reduce ...'", if they differ
  std::optional<double> joules_before{}, joules_after{};
  std::optional<TimeBand> band_before{}, band_after{};
};

Comparison compare_runs(const RunFolder& a, const RunFolder& b);

// Returns the headline: "B is 12.3 % faster: 87.24 us -> 76.50 us, busiest link (66.4 %)". The percentage is
// the share of A's time that B saves. If both runs were repeated with other start phases, their medians are
// compared and bands tell whether they differ: "A and B are not distinguishable: ...".
std::string comparison_headline(const Comparison& comparison);
// Lists at most `most` differences per subsystem.
std::string comparison_text(const Comparison& comparison, std::size_t most);
std::string comparison_json(const Comparison& comparison);  // all of them

}  // namespace tahoma::runtime
