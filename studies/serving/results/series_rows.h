// SPDX-License-Identifier: Apache-2.0
// The series over time windows: series.csv, and the data of the page.
#pragma once

#include <string>

#include "studies/serving/results/serving_summary.h"
#include "studies/serving/results/window_series.h"
#include "studies/serving/simulation/group_state.h"

namespace tahoma::runtime::serving {

// Writes one row for each window and group. Levels are means over the window, counts are of the window;
// `waiting` and `running` are requests of the group, `kv_blocks_percent` is of all its blocks.
std::string series_csv(const WindowSeries& series, const GroupStates& groups);

// Writes the page: the summary, and the series by group.
std::string serving_page(const ServingSummary& summary, const WindowSeries& series,
                         const GroupStates& groups);

}  // namespace tahoma::runtime::serving
