// SPDX-License-Identifier: Apache-2.0
// Tables of points: points.csv, and the tables that a sweep prints.
#pragma once

#include <string>
#include <vector>

#include "studies/sweep/results/objective.h"
#include "studies/sweep/results/store.h"
#include "studies/sweep/spec/spec.h"

namespace tahoma::runtime {

// The metrics of points.csv, as patterns in which '*' matches any text: time, MFU and MBU, those of the sweep
// and of its objectives, those that their expressions name, and what the user `asked` for with --columns:
// names and patterns separated by commas; "all" is every metric.
std::vector<std::string> column_patterns(const SweepSpec& spec, const std::vector<Objective>& objectives,
                                         const std::string& asked);

// A line for each name or pattern of --columns that no metric of any point matches, with the nearest metric.
std::vector<std::string> unmatched_columns(const std::vector<Store::Row>& rows, const std::string& asked);

// Writes one row per point: number, id, workload, status, reason, varying parameters by path, the bound, and
// the metrics that match a pattern, in the order of the patterns, then by name.
std::string points_csv(const std::vector<Store::Row>& rows, const std::vector<std::string>& patterns);

// Returns the text of a varying parameter at a point; "" if it does not have it.
std::string text_at(const Store::Row& row, const std::string& path);

// Aligned columns of text, numbers right-aligned.
struct TextTable {
  std::vector<std::string> heads;
  std::vector<std::vector<std::string>> rows;
  std::string text() const;
};

}  // namespace tahoma::runtime
