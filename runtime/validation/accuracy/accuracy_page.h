// SPDX-License-Identifier: Apache-2.0
// The accuracy page: the model's values beside silicon's, reduced and judged. Plain values; the writers
// (page_text.h, page_files.h) lay them out.
//
// A figure whose constant was derived from silicon's own value says how well the laws fit it, and predicts
// nothing: so every number is also given for the figures held out.
#pragma once

#include <string>
#include <vector>

#include "model/base/error.h"
#include "runtime/validation/accuracy/case_run.h"
#include "runtime/validation/accuracy/suite.h"

namespace tahoma::runtime {

struct PageRow {
  Figure figure;
  Measured measured;
  std::optional<Spread> phases;  // of the model over the throttle's phases
  double error = 0;              // percent of the reference, if there is a value
  bool beyond = false;           // of its family's limit
  bool has_value() const { return measured.failure.empty(); }
};

struct Tally {
  std::size_t figures = 0;     // those with a value
  double mean = 0, worst = 0;  // of the absolute errors, percent; 0 without figures
  std::string worst_id;
  std::optional<double> rank;  // Spearman's
};

struct Tallies {
  Tally all, calibration, check;
};

struct FamilyPage {
  Family family;  // without its figures: they are in the rows
  std::vector<PageRow> rows;
  Tallies tallies;
  bool mean_beyond = false;
  bool limited() const { return family.limits.mean || family.limits.worst; }
};

struct Page {
  std::string file, title, machine;
  std::vector<std::string> overrides;
  std::vector<FamilyPage> families;
  Tallies tallies;            // of the families that have a limit
  std::size_t unlimited = 0;  // figures of the others
  std::size_t without_value = 0;
  std::vector<std::string> beyond;  // "tensor: mean 2.3 %, limit 2 %"
  base::ExitStatus status = base::ExitStatus::kOk;
  std::string headline;
  bool passed() const { return status == base::ExitStatus::kOk; }
};

// Rows as they were measured, judged by the family's limits.
FamilyPage judge(const Family& family, std::vector<PageRow> rows);

// The status is the largest of what the rows bring along: a case that could not be run counts more than a
// limit that is exceeded.
Page make_page(const Suite& suite, const std::vector<std::string>& overrides,
               std::vector<FamilyPage> families);

}  // namespace tahoma::runtime
