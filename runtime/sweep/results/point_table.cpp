// SPDX-License-Identifier: Apache-2.0
#include "runtime/sweep/results/point_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "runtime/report/summary/format.h"
#include "runtime/report/tables/column_csv.h"

namespace tahoma::runtime {

std::string points_csv(const std::vector<Store::Row>& rows) {
  std::set<std::string> paths, names;
  for (const Store::Row& row : rows) {
    for (const SweepPoint::Parameter& p : row.parameters) paths.insert(p.path);
    for (const auto& [name, value] : row.metrics) names.insert(name);
  }
  std::string text = "number,id,workload,status,reason";
  for (const std::string& path : paths) text += "," + csv_field(path);
  for (const std::string& name : names) text += "," + csv_field(name);
  text += "\n";
  for (const Store::Row& row : rows) {
    text += fmt::format("{},{},{},{},{}", row.number, row.id, csv_field(row.workload), row.status,
                        csv_field(row.reason));
    for (const std::string& path : paths) {
      const auto at = std::find_if(row.parameters.begin(), row.parameters.end(),
                                   [&](const SweepPoint::Parameter& p) { return p.path == path; });
      text += "," + (at == row.parameters.end() ? "" : csv_field(at->text));
    }
    for (const std::string& name : names) {
      const auto at = row.metrics.find(name);
      text += "," + (at == row.metrics.end() ? "" : shortest(at->second));
    }
    text += "\n";
  }
  return text;
}

std::string TextTable::text() const {
  std::vector<std::size_t> width;
  for (const std::string& head : heads) width.push_back(head.size());
  for (const auto& row : rows)
    for (std::size_t c = 0; c < row.size(); ++c) width[c] = std::max(width[c], row[c].size());
  std::string text;
  const auto line = [&](const std::vector<std::string>& cells) {
    for (std::size_t c = 0; c < cells.size(); ++c) text += fmt::format("  {:>{}}", cells[c], width[c]);
    text += "\n";
  };
  line(heads);
  for (const auto& row : rows) line(row);
  return text;
}

}  // namespace tahoma::runtime
