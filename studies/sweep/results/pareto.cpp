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

// The time of a point, and the metrics that are inverse to it.
constexpr const char* kTime = "simulated_time_ns";
constexpr const char* kRates[] = {"flops.achieved_tflops", "mfu_estimated_percent", "mbu_estimated_percent"};

// Positive if `a` is the better value.
double lead(const Objective& objective, double a, double b) {
  return objective.better == base::Better::kMore ? a - b : b - a;
}

// Positive if `a` is the better value, and neither is in the band of the other.
double clear_lead(const Objective& objective, const BandedValue& a, const BandedValue& b) {
  return a.holds(b.value) || b.holds(a.value) ? 0 : lead(objective, a.value, b.value);
}

bool beats(const ParetoPoint& a, const ParetoPoint& b, const std::vector<Objective>& objectives) {
  bool better = false;
  for (std::size_t i = 0; i < objectives.size(); ++i) {
    const double by = clear_lead(objectives[i], a.values[i], b.values[i]);
    if (by < 0) return false;
    better = better || by > 0;
  }
  return better;
}

bool is_before(const ParetoPoint& a, const ParetoPoint& b, const std::vector<Objective>& objectives) {
  for (std::size_t i = 0; i < objectives.size(); ++i)
    if (const double by = lead(objectives[i], a.values[i].value, b.values[i].value); by != 0) return by > 0;
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

BandedValue banded_value_at(const Store::Row& row, const Expression& expression) {
  const double value = value_at(row, expression);
  BandedValue banded{value, value, value};
  const auto time = row.metrics.find(kTime);
  if (time == row.metrics.end()) return banded;
  for (const char* end : {"band.low_ns", "band.high_ns"}) {
    const auto at_end = row.metrics.find(end);
    if (at_end == row.metrics.end() || at_end->second <= 0) continue;
    Store::Row changed = row;
    changed.metrics[kTime] = at_end->second;
    for (const char* rate : kRates)
      if (const auto known = changed.metrics.find(rate); known != changed.metrics.end())
        known->second *= time->second / at_end->second;
    const double there = value_at(changed, expression);
    banded.low = std::min(banded.low, there);
    banded.high = std::max(banded.high, there);
  }
  return banded;
}

std::vector<ParetoPoint> pareto_front(const std::vector<Store::Row>& rows,
                                      const std::vector<Objective>& objectives) {
  std::vector<ParetoPoint> points;
  for (const Store::Row& row : rows) {
    if (row.status != "done") continue;
    ParetoPoint point{&row, {}};
    for (const Objective& o : objectives) point.values.push_back(banded_value_at(row, o.expression));
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
    for (const BandedValue& of : point.values)
      row.push_back(of.low == of.high ? fmt::format("{:.6g}", of.value)
                                      : fmt::format("{:.6g} ({:.6g} to {:.6g})", of.value, of.low, of.high));
  }
  return fmt::format("Pareto front of {} points ({}):\n{}", front.size(), directions_text(objectives),
                     table.text());
}

}  // namespace tahoma::runtime
