// SPDX-License-Identifier: Apache-2.0
// `tahoma check` of a file of cases: every case run and laid beside its golden; or, to bless, its golden made
// anew.
//
// Blessing is all or nothing: when a case cannot be run, or its values are wrong, no golden is written. What
// is written is what changed; each such case gets a line with its old and new headline figures in bless.log
// beside the goldens, and goldens that no case has are removed.
//
// UserError beside those of case_file.h and golden_file.h: E-REG-008 blessing without a reason, E-REG-009
// where CI is set, E-REG-010 with parameters set on the command line, E-REG-011 a case that cannot be
// blessed. Rows fail with E-REG-004 a tolerance for nothing, E-REG-005 no golden, E-REG-007 a golden without
// a case.
#pragma once

#include <string>
#include <vector>

#include "runtime/validation/regression/case_runner.h"
#include "runtime/validation/regression/headline.h"

namespace tahoma::runtime {

struct RegressionRow {
  std::string name;
  std::string failure;  // why it was not compared: not run, or no golden; "" if it was
  base::ExitStatus status = base::ExitStatus::kOk;
  bool has_golden = false, has_run = false;
  Headline golden, now;  // where it has one, where it has run
  std::vector<DifferenceGroup> differences;
  std::size_t compared = 0;  // statistics
  bool passed() const { return status == base::ExitStatus::kOk; }
};

struct RegressionPage {
  std::string file, title;
  std::vector<std::string> overrides;
  std::vector<RegressionRow> rows;
  std::string headline;
  base::ExitStatus status = base::ExitStatus::kOk;  // the largest of the rows'
  bool passed() const { return status == base::ExitStatus::kOk; }
};

struct RegressionOptions {
  std::vector<std::string> only;       // --case; none: all
  std::vector<std::string> overrides;  // --set
  std::size_t jobs = 1;
};

RegressionPage check_cases(const std::string& file, const RegressionOptions& options);

// What was changed, one line a case and a first line with the answer.
std::string bless_cases(const std::string& file, const std::string& reason, const RegressionOptions& options);

}  // namespace tahoma::runtime
