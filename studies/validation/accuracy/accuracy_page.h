// SPDX-License-Identifier: Apache-2.0
// The accuracy page: the model's values compared with those of silicon, summarised and judged. Plain values;
// the writers (accuracy_page_text.h, accuracy_page_files.h) format them.
//
// The error of a figure whose constant was derived from silicon's own value is a measure of fit, not a
// prediction. Every number is therefore also given for the figures held out.
#pragma once

#include <string>
#include <vector>

#include "model/base/error.h"
#include "studies/validation/accuracy/case_run.h"
#include "studies/validation/accuracy/suite.h"
#include "studies/whatif/uncertain.h"

namespace tahoma::runtime {

struct PageRow {
  Figure figure;
  Measured measured;
  std::optional<Spread> phases;  // of the model over the phases of the throttle
  double error = 0;              // percent of the reference, if the figure has a value
  bool beyond = false;           // exceeds the limit of its family, or is not the known miss that it was
  // By the uncertainty of the parameters, if they were varied.
  std::optional<IntervalDistance> moves = std::nullopt;
  // In which silicon's value is expected, of held-out figures (law_error.h).
  std::optional<Spread> interval = std::nullopt;
  std::optional<KnownMiss> miss = std::nullopt;  // if its family declares one
  bool has_value() const { return measured.failure.empty(); }
  bool is_known_miss() const { return miss && has_value() && !beyond; }
  bool in_interval() const {
    return interval && interval->low <= figure.reference && figure.reference <= interval->high;
  }
};

// How many of the figures with an interval have their reference in it.
struct Coverage {
  std::size_t inside = 0, of = 0;
  std::vector<std::string> outside;  // ids
};

struct Tally {
  std::size_t figures = 0;     // figures with a value
  double mean = 0, worst = 0;  // of the absolute errors, percent; 0 if there are no figures
  std::string worst_id;
  std::optional<double> rank;  // Spearman's rank correlation
};

struct Tallies {
  Tally all, calibration, check;
};

struct FamilyPage {
  Family family;  // without its figures, which are in the rows
  std::vector<PageRow> rows;
  Tallies tallies;
  bool mean_beyond = false;
  std::optional<double> law_error = std::nullopt;  // share of the model's value (law_error.h)
  bool limited() const { return family.limits.mean || family.limits.worst; }
};

struct Page {
  std::string file, title, machine;
  std::vector<std::string> overrides;
  std::vector<FamilyPage> families;
  Tallies tallies;            // of the families with a limit
  std::size_t unlimited = 0;  // number of figures in the other families
  std::size_t without_value = 0;
  Coverage coverage;
  std::vector<std::string> beyond;  // "tensor: mean 2.3 %, limit 2 %"
  std::vector<std::string> known;   // misses that are as declared, likewise with the reason
  base::ExitStatus status = base::ExitStatus::kOk;
  std::string headline;
  bool passed() const { return status == base::ExitStatus::kOk; }
};

// The error of a figure beside its limit and its declared miss: "-9.98 %, limit 5 %, declared as -10 %".
std::string miss_text(const PageRow& row, const Limits& limits);

// Judges measured rows by the family's limits.
FamilyPage judge(const Family& family, std::vector<PageRow> rows);

// The status is the largest of those of the rows: a case that could not be run outweighs an exceeded limit.
Page make_page(const Suite& suite, const std::vector<std::string>& overrides,
               std::vector<FamilyPage> families);

}  // namespace tahoma::runtime
