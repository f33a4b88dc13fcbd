// SPDX-License-Identifier: Apache-2.0
// Two runs beside each other, statistic by statistic.
//
// The change of a number is relative to its old value, a fraction; from 0 to anything, of a word, and of what
// only one side has, it counts as 1. Two values are equal when their texts are, or when a tolerance for that
// statistic covers the change: |new - old| <= fraction x |old|. What only one side has differs always.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "runtime/validation/regression/run_statistics.h"

namespace tahoma::runtime {

struct Tolerance {
  std::string pattern;  // '*' stands for any text
  double fraction = 0;  // 0.01 is 1 %
  std::string reason;
  std::string place;  // in the file of cases
};

struct Difference {
  std::string name;
  std::optional<std::string> before, after;  // nothing: this side does not have it
  double change = 0;
};

// Of one subsystem, largest change first, then in the order of the report.
struct DifferenceGroup {
  std::string subsystem;
  std::vector<Difference> differences;
};

// The group with the largest change first.
std::vector<DifferenceGroup> differences_of(const RunStatistics& before, const RunStatistics& after,
                                            const std::vector<Tolerance>& tolerances = {});

std::size_t count_of(const std::vector<DifferenceGroup>& groups);

// "+5.32 %"; "" where there is no change in numbers.
std::string change_text(const Difference& difference);
// Six significant digits at most, "-" for nothing.
std::string value_cell(const std::optional<std::string>& value);

// Lines of a report, each behind `indent`: per group a heading and at most `most` differences.
std::string groups_text(const std::vector<DifferenceGroup>& groups, std::size_t most,
                        const std::string& indent);

}  // namespace tahoma::runtime
