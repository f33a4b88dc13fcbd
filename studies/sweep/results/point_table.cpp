// SPDX-License-Identifier: Apache-2.0
#include "studies/sweep/results/point_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <sstream>

#include "model/base/error.h"
#include "model/base/quantity.h"
#include "report/tables/column_csv.h"
#include "report/tables/name_pattern.h"
#include "runtime/host/text/format.h"
#include "studies/sweep/results/metrics.h"

namespace tahoma::runtime {

namespace {

constexpr std::array kHeadMetrics{"simulated_time_ns", "mfu_estimated_percent", "mbu_estimated_percent"};

// The names and patterns of --columns.
std::vector<std::string> asked_columns(const std::string& asked) {
  std::vector<std::string> patterns;
  std::istringstream words(asked);
  for (std::string word; std::getline(words, word, ',');)
    patterns.push_back(base::trimmed(word) == "all" ? "*" : std::string(base::trimmed(word)));
  return patterns;
}

std::set<std::string> metric_names(const std::vector<Store::Row>& rows) {
  std::set<std::string> names;
  for (const Store::Row& row : rows)
    for (const auto& [name, value] : row.metrics) names.insert(name);
  return names;
}

std::vector<std::string> matching_names(const std::vector<Store::Row>& rows,
                                        const std::vector<std::string>& patterns) {
  std::set<std::string> left = metric_names(rows);
  std::vector<std::string> names;
  for (const std::string& pattern : patterns)
    for (auto name = left.begin(); name != left.end();) {
      if (!matches_pattern(*name, pattern)) {
        ++name;
        continue;
      }
      names.push_back(*name);
      name = left.erase(name);
    }
  return names;
}

}  // namespace

std::vector<std::string> column_patterns(const SweepSpec& spec, const std::vector<Objective>& objectives,
                                         const std::string& asked) {
  std::vector<std::string> patterns(kHeadMetrics.begin(), kHeadMetrics.end());
  const auto add = [&](const std::vector<std::string>& more) {
    patterns.insert(patterns.end(), more.begin(), more.end());
  };
  for (const auto& [name, expression] : spec.metrics) {
    add({name});
    add(expression.names());
  }
  for (const Objective& o : objectives) add(o.expression.names());
  add(asked_columns(asked));
  return patterns;
}

std::vector<std::string> unmatched_columns(const std::vector<Store::Row>& rows, const std::string& asked) {
  const std::set<std::string> known = metric_names(rows);
  const std::vector<std::string> names(known.begin(), known.end());
  std::vector<std::string> lines;
  for (const std::string& pattern : asked_columns(asked)) {
    if (names.empty() || std::any_of(names.begin(), names.end(),
                                     [&](const std::string& name) { return matches_pattern(name, pattern); }))
      continue;
    std::string word = pattern;
    std::erase(word, '*');
    lines.push_back(
        fmt::format("--columns: no metric matches '{}'{}", pattern, base::did_you_mean(word, names)));
  }
  return lines;
}

std::string text_at(const Store::Row& row, const std::string& path) {
  for (const SweepPoint::Parameter& p : row.parameters)
    if (p.path == path) return p.text;
  return "";
}

std::string points_csv(const std::vector<Store::Row>& rows, const std::vector<std::string>& patterns) {
  std::set<std::string> paths;
  for (const Store::Row& row : rows)
    for (const SweepPoint::Parameter& p : row.parameters) paths.insert(p.path);
  const std::vector<std::string> names = matching_names(rows, patterns);
  std::string text = "number,id,workload,status,reason";
  for (const std::string& path : paths) text += "," + csv_field(path);
  text += fmt::format(",{}", kBusiestText);
  for (const std::string& name : names) text += "," + csv_field(name);
  text += "\n";
  for (const Store::Row& row : rows) {
    text += fmt::format("{},{},{},{},{}", row.number, row.id, csv_field(row.workload), row.status,
                        csv_field(row.reason));
    for (const std::string& path : paths) text += "," + csv_field(text_at(row, path));
    const auto busiest = row.texts.find(kBusiestText);
    text += "," + (busiest == row.texts.end() ? "" : csv_field(busiest->second));
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
