// SPDX-License-Identifier: Apache-2.0
// Compares two runs statistic by statistic.
//
// The change of a number is relative to its old value, a fraction. A change from 0, of a word, or of a
// statistic that only one side has counts as 1. A time also explains a part of the run's old time: its change
// over that time, of sums per instance. Differences are ranked by that part, and those that explain less than
// kLeastPart by their change. Words and numbers that identify something (base::Unit::kIdentifier) have no
// size: they come last. Two values are equal if their texts are equal, or if a
// tolerance for that statistic covers the change: |new - old| <= fraction x |old|. A statistic that only one
// side has always differs.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "studies/validation/regression/differences/run_statistics.h"

namespace tahoma::runtime {

struct Tolerance {
  std::string pattern;  // '*' matches any text
  double fraction = 0;  // 0.01 is 1 %
  std::string reason;
  std::string place;  // in the file of cases
};

struct Difference {
  std::string name;
  std::optional<std::string> before, after;  // unset: this side does not have it
  double change = 0;
  double explains = 0;   // of the run's time before; 0 for what is not a time
  bool quantity = true;  // false: a word or the number of something
};
inline constexpr double kLeastPart = 0.001;

// The differences of one subsystem, ranked, then in the order of the report.
struct DifferenceGroup {
  std::string subsystem;
  std::vector<Difference> differences;
};

// Groups are in the order of their first differences.
std::vector<DifferenceGroup> differences_of(const RunStatistics& before, const RunStatistics& after,
                                            const std::vector<Tolerance>& tolerances = {});

std::size_t count_of(const std::vector<DifferenceGroup>& groups);

// "+5.32 %"; "changed" if the values have no size.
std::string change_text(const Difference& difference);
// " ns" of a time, " B" of an amount of data; "" of what has no unit.
std::string unit_cell(const Difference& difference);
// ", 4.2 % of the time before", ", 4.37 times the time before"; "" for less than kLeastPart.
std::string part_text(const Difference& difference);
// Prints at most six significant digits, "-" for a missing value.
std::string value_cell(const std::optional<std::string>& value);

// Lines of a report, each prefixed with `indent`: per group a heading and at most `most` differences.
std::string groups_text(const std::vector<DifferenceGroup>& groups, std::size_t most,
                        const std::string& indent);

}  // namespace tahoma::runtime
