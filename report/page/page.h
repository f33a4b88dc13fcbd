// SPDX-License-Identifier: Apache-2.0
// HTML pages: one self-contained file each, made of the template in assets/, the charting library and data. A
// page uses no network and no external fonts, so it opens from a mail attachment. The scripts of a page lay
// out the data and compute nothing but sums, ratios and differences.
//
// A page may compare two finished runs; a folder of `tahoma sweep` has a page of its own
// (studies/sweep/results/index_page.h).
//
// UserError: E-REP-001 a folder without a run that has data for a page, E-REP-002 a file in it that tahoma
// did not write, E-OUT-003.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tahoma::runtime {

struct PageRun {
  std::string name;      // name on the page; "" for a single run
  std::string workload;  // as its summary says
  std::string summary;   // text of summary.json
  std::string detail;    // text of report.json
};

// The page of one run, or a comparison of two.
std::string run_page(const std::vector<PageRun>& runs);

// Makes any page: `data` is JSON whose key `kind` selects the layout in the scripts of assets/.
std::string page_of(std::string_view title, std::string_view data);

// The page of one run with another summary of the same run.
std::string page_with_summary(const std::string& page, const std::string& summary);

// Reads the run in a folder that `tahoma run` wrote.
PageRun read_page_run(const std::string& folder);

}  // namespace tahoma::runtime
