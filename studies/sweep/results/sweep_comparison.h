// SPDX-License-Identifier: Apache-2.0
// Compares two sweeps point by point: points are the same if their workload and all varying values are equal.
// The comparison uses one metric, by default the simulated time.
#pragma once

#include <string>
#include <vector>

#include "studies/sweep/results/store.h"

namespace tahoma::runtime {

struct SweepPointPair {
  Store::Row before, after;
  double a = 0, b = 0;  // values of the metric
};

struct SweepComparison {
  std::string a, b, metric;
  std::vector<SweepPointPair> pairs;     // largest relative change first
  std::uint64_t only_a = 0, only_b = 0;  // points that exist on one side only
  std::uint64_t incomparable = 0;        // not finished, or without the metric, on either side
};

bool is_sweep_folder(const std::string& folder);  // true for folders of `tahoma sweep`

// UserError E-SWP-021 with the nearest metric if no point of either sweep has `metric`; E-SWP-050.
SweepComparison compare_sweeps(const std::string& a, const std::string& b, const std::string& metric);

// Writes the headline first: "B is 3.2 % shorter on average (geometric mean of 64 points); ...".
std::string comparison_text(const SweepComparison& comparison, std::size_t most);
std::string comparison_json(const SweepComparison& comparison);

}  // namespace tahoma::runtime
