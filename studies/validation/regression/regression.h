// SPDX-License-Identifier: Apache-2.0
// `tahoma check` of a file of cases: runs every case and compares it with its golden, or, with
// --bless, rewrites the golden.
//
// Blessing is atomic: if a case cannot be run, or its values are wrong, no golden is written. Only changed
// goldens are written; each changed case gets a line with its old and new headline figures in bless.log next
// to the goldens, and goldens without a case are removed.
//
// UserError in addition to those of case_file.h and golden_statistics.h: E-REG-008 blessing without a reason,
// E-REG-009 blessing where CI is set, E-REG-010 blessing with parameters set on the command line, E-REG-011 a
// case that cannot be blessed. Rows fail with E-REG-004 a tolerance that matches no statistic, E-REG-005 no
// golden, E-REG-007 a golden without a case.
#pragma once

#include <string>
#include <vector>

#include "studies/validation/regression/case_runner.h"
#include "studies/validation/regression/differences/headline.h"
#include "studies/validation/regression/differences/leading_changes.h"
#include "studies/validation/regression/values/value_changes.h"

namespace tahoma::runtime {

struct RegressionRow {
  std::string name;
  std::string failure;  // why it was not compared: it did not run, or has no golden; "" if it was
  base::ExitStatus status = base::ExitStatus::kOk;
  bool has_golden_statistics = false, has_run = false;
  Headline golden, now;  // valid if has_golden_statistics, has_run
  std::vector<DifferenceGroup> differences;
  LeadingChanges leads;               // of the differences
  std::vector<OutputChange> outputs;  // the errors of the outputs whose hashes differ
  std::size_t compared = 0;           // number of statistics
  std::string unchecked;              // why the values of a functional run were not checked; "" if they were
  // The statistics equal the golden ones. Of unchecked values this says only that they have not changed.
  bool passed() const { return status == base::ExitStatus::kOk; }
};

struct RegressionPage {
  std::string file, title;
  std::vector<std::string> overrides;
  std::vector<RegressionRow> rows;
  std::string headline;
  base::ExitStatus status = base::ExitStatus::kOk;  // the largest of those of the rows
  std::vector<std::string> unchecked() const;       // the names of rows that passed with unchecked values
  bool passed() const { return status == base::ExitStatus::kOk; }
};

RegressionPage check_cases(const std::string& file, const RegressionOptions& options);

// Returns a headline and one line per change.
std::string bless_cases(const std::string& file, const std::string& reason, const RegressionOptions& options);

}  // namespace tahoma::runtime
