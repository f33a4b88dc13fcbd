// SPDX-License-Identifier: Apache-2.0
#include "runtime/sweep/results/pareto.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "model/base/trimmed.h"
#include "runtime/sweep/results/metrics.h"
#include "runtime/sweep/results/point_table.h"

namespace tahoma::runtime {

namespace {

bool beats(const ParetoPoint& a, const ParetoPoint& b) {
  bool smaller = false;
  for (std::size_t i = 0; i < a.values.size(); ++i) {
    if (a.values[i] > b.values[i]) return false;
    smaller = smaller || a.values[i] < b.values[i];
  }
  return smaller;
}

// Parameters that differ between the points of the front; all of them if there is only one point.
std::vector<std::string> varying(const std::vector<ParetoPoint>& front) {
  std::map<std::string, std::set<std::string>> texts;
  for (const ParetoPoint& point : front)
    for (const SweepPoint::Parameter& p : point.row->parameters) texts[p.path].insert(p.text);
  std::vector<std::string> paths;
  for (const auto& [path, values] : texts)
    if (values.size() > 1 || front.size() == 1) paths.push_back(path);
  return paths;
}

std::string text_at(const Store::Row& row, const std::string& path) {
  for (const SweepPoint::Parameter& p : row.parameters)
    if (p.path == path) return p.text;
  return "";
}

}  // namespace

std::vector<std::string> split_expressions(const std::string& text) {
  std::vector<std::string> parts{""};
  int depth = 0;
  for (const char c : text) {
    depth += c == '(' ? 1 : c == ')' ? -1 : 0;
    if (c == ',' && depth == 0)
      parts.emplace_back();
    else
      parts.back() += c;
  }
  for (std::string& part : parts) part = std::string(base::trimmed(part));
  return parts;
}

std::vector<ParetoPoint> pareto_front(const std::vector<Store::Row>& rows,
                                      const std::vector<Expression>& expressions) {
  std::vector<ParetoPoint> points;
  for (const Store::Row& row : rows) {
    if (row.status != "done") continue;
    std::map<std::string, double> parameters;
    for (const SweepPoint::Parameter& p : row.parameters)
      if (p.value) parameters[p.path] = *p.value;
    ParetoPoint point{&row, {}};
    for (const Expression& e : expressions)
      point.values.push_back(e.value(names_in(row.metrics, parameters)));
    points.push_back(std::move(point));
  }
  std::vector<ParetoPoint> front;
  std::copy_if(points.begin(), points.end(), std::back_inserter(front), [&](const ParetoPoint& candidate) {
    return std::none_of(points.begin(), points.end(),
                        [&](const ParetoPoint& other) { return beats(other, candidate); });
  });
  std::stable_sort(front.begin(), front.end(),
                   [](const ParetoPoint& a, const ParetoPoint& b) { return a.values < b.values; });
  return front;
}

std::string front_text(const std::vector<ParetoPoint>& front, const std::vector<Expression>& expressions) {
  TextTable table;
  const std::vector<std::string> paths = varying(front);
  std::set<std::string> workloads;
  for (const ParetoPoint& point : front) workloads.insert(point.row->workload);
  table.heads = {"point"};
  if (workloads.size() > 1) table.heads.emplace_back("workload");
  table.heads.insert(table.heads.end(), paths.begin(), paths.end());
  for (const Expression& e : expressions) table.heads.push_back(e.text());
  for (const ParetoPoint& point : front) {
    std::vector<std::string>& row = table.rows.emplace_back();
    row.push_back(std::to_string(point.row->number));
    if (workloads.size() > 1) row.push_back(std::filesystem::path(point.row->workload).stem());
    for (const std::string& path : paths) row.push_back(text_at(*point.row, path));
    for (const double value : point.values) row.push_back(fmt::format("{:.6g}", value));
  }
  return fmt::format("Pareto front of {} points, smaller is better:\n{}", front.size(), table.text());
}

}  // namespace tahoma::runtime
