// SPDX-License-Identifier: Apache-2.0
// Tables of figures and the files that name them, for tests of `tahoma check`.
#pragma once

#include <string>

#include "studies/validation/accuracy/tables/figures.h"

namespace tahoma::tests {

constexpr const char* kFigureColumns = "id,what,case,probe,silicon,unit,samples,low,high,use,source\n";

// One line of a table: a single sample of a case.
inline std::string figure_line(const std::string& id, const std::string& case_name, const std::string& probe,
                               const std::string& silicon, const std::string& use = "check",
                               const std::string& unit = "ns") {
  return id + ",what " + id + " is," + case_name + "," + probe + "," + silicon + "," + unit + ",1,,," + use +
         ",TRACE t\n";
}

// A checks file with one family; `more` holds further keys of it.
inline std::string suite_text(const std::string& more = "",
                              const std::string& machine = "trainium2_one_chip") {
  return "accuracy:\n  title: A test\n  machine: " + machine +
         "\n  families:\n    lanes:\n      doc: some figures\n      table: lanes.csv\n" + more;
}

inline runtime::Figure figure(const std::string& id, double silicon, runtime::FigureUse use) {
  runtime::Figure f;
  f.id = f.what = id;
  f.case_name = f.case_path = "case.yaml";
  f.probe_text = "time";
  f.probe = runtime::Whole::kTime;
  f.reference = silicon;
  f.use = use;
  f.source = "TRACE t";
  return f;
}

}  // namespace tahoma::tests
