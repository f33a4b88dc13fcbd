// SPDX-License-Identifier: Apache-2.0
// Pages for people: one self-contained HTML file each, made of the template in assets/, the charting library
// and data. No network, no fonts from elsewhere: a page opens from a mail attachment. The scripts of a page
// lay out what the data say and compute nothing but sums, ratios and differences of them.
//
// Two finished runs may be shown beside each other; a folder of `tahoma sweep` has a page of its own
// (runtime/sweep/results/index_page.h).
//
// UserError: E-REP-001 a folder that holds no run with data for a page, E-REP-002 a file of it that is not
// what tahoma wrote, E-OUT-003.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tahoma::runtime {

struct PageRun {
  std::string name;      // what the page calls it; "" where there is one
  std::string workload;  // as its summary says
  std::string summary;   // text of summary.json
  std::string detail;    // text of report.json
};

// Of one run, or of two laid beside each other.
std::string run_page(const std::vector<PageRun>& runs);

// Any page: `data` is JSON that the scripts of assets/ know by its key `kind`.
std::string page_of(std::string_view title, std::string_view data);

// The run in a folder that `tahoma run` wrote.
PageRun read_page_run(const std::string& folder);

}  // namespace tahoma::runtime
