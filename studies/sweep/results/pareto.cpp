// SPDX-License-Identifier: Apache-2.0
#include "studies/sweep/results/pareto.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "studies/sweep/results/metrics.h"
#include "studies/sweep/results/point_table.h"

namespace tahoma::runtime {

namespace {

// Positive if `a` is the better value.
double lead(const Objective& objective, double a, double b) {
  return objective.better == base::Better::kMore ? a - b : b - a;
}

bool beats(const ParetoPoint& a, const ParetoPoint& b, const std::vector<Objective>& objectives) {
  bool better = false;
  for (std::size_t i = 0; i < objectives.size(); ++i) {
    const double by = lead(objectives[i], a.values[i], b.values[i]);
    if (by < 0) return false;
    better = better || by > 0;
  }
  return better;
}

bool is_before(const ParetoPoint& a, const ParetoPoint& b, const std::vector<Objective>& objectives) {
  for (std::size_t i = 0; i < objectives.size(); ++i)
    if (const double by = lead(objectives[i], a.values[i], b.values[i]); by != 0) return by > 0;
  return false;
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

}  // namespace

std::map<std::string, double> values_of(const std::vector<SweepPoint::Parameter>& parameters) {
  std::map<std::string, double> values;
  for (const SweepPoint::Parameter& p : parameters)
    if (p.value) values[p.path] = *p.value;
  return values;
}

double value_at(const Store::Row& row, const Expression& expression) {
  return expression.value(names_in(row.metrics, values_of(row.parameters)));
}

std::vector<ParetoPoint> pareto_front(const std::vector<Store::Row>& rows,
                                      const std::vector<Objective>& objectives) {
  std::vector<ParetoPoint> points;
  for (const Store::Row& row : rows) {
    if (row.status != "done") continue;
    ParetoPoint point{&row, {}};
    for (const Objective& o : objectives) point.values.push_back(value_at(row, o.expression));
    points.push_back(std::move(point));
  }
  std::vector<ParetoPoint> front;
  std::copy_if(points.begin(), points.end(), std::back_inserter(front), [&](const ParetoPoint& candidate) {
    return std::none_of(points.begin(), points.end(),
                        [&](const ParetoPoint& other) { return beats(other, candidate, objectives); });
  });
  std::stable_sort(front.begin(), front.end(),
                   [&](const ParetoPoint& a, const ParetoPoint& b) { return is_before(a, b, objectives); });
  return front;
}

std::string front_text(const std::vector<ParetoPoint>& front, const std::vector<Objective>& objectives) {
  TextTable table;
  const std::vector<std::string> paths = varying(front);
  std::set<std::string> workloads;
  for (const ParetoPoint& point : front) workloads.insert(point.row->workload);
  table.heads = {"point"};
  if (workloads.size() > 1) table.heads.emplace_back("workload");
  table.heads.insert(table.heads.end(), paths.begin(), paths.end());
  for (const Objective& o : objectives) table.heads.push_back(o.expression.text());
  for (const ParetoPoint& point : front) {
    std::vector<std::string>& row = table.rows.emplace_back();
    row.push_back(std::to_string(point.row->number));
    if (workloads.size() > 1) row.push_back(std::filesystem::path(point.row->workload).stem());
    for (const std::string& path : paths) row.push_back(text_at(*point.row, path));
    for (const double value : point.values) row.push_back(fmt::format("{:.6g}", value));
  }
  return fmt::format("Pareto front of {} points ({}):\n{}", front.size(), directions_text(objectives),
                     table.text());
}

}  // namespace tahoma::runtime
