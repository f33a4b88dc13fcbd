// SPDX-License-Identifier: Apache-2.0
#include "studies/sweep/results/sweep_comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>

#include "model/base/error.h"
#include "report/summary/time_band.h"
#include "runtime/host/json/json_text.h"
#include "studies/sweep/results/point_table.h"

namespace tahoma::runtime {

namespace {

namespace fs = std::filesystem;

// "gemm.yaml machine.chip.hbm.stacks=4 ...": the identity of a point across sweeps.
std::string name_of(const Store::Row& row) {
  std::string name = fs::path(row.workload).filename();
  for (const SweepPoint::Parameter& p : row.parameters) name += " " + p.path + "=" + p.text;
  return name;
}

std::map<std::string, Store::Row> by_name(const std::string& folder) {
  std::map<std::string, Store::Row> rows;
  for (Store::Row& row : Store::read(fs::path(folder) / "sweep.db"))
    rows.emplace(name_of(row), std::move(row));
  return rows;
}

void require_metric(const std::map<std::string, Store::Row>& rows, const std::string& metric,
                    const std::string& folder) {
  std::set<std::string> names;
  for (const auto& [name, row] : rows)
    for (const auto& [each, value] : row.metrics) names.insert(each);
  if (names.empty() || names.contains(metric)) return;
  throw base::UserError("E-SWP-021", "--metric",
                        fmt::format("no point of {} has '{}'{}", folder, metric,
                                    base::did_you_mean(metric, {names.begin(), names.end()})));
}

double change(const SweepPointPair& pair) {
  return pair.a == 0 ? (pair.b == 0 ? 0 : 1) : pair.b / pair.a - 1;
}

// The band of a point's time over its start phases, if it was repeated.
std::optional<TimeBand> band_of(const Store::Row& row) {
  const auto median = row.metrics.find("band.median_ns"), low = row.metrics.find("band.low_ns"),
             high = row.metrics.find("band.high_ns");
  if (median == row.metrics.end() || low == row.metrics.end() || high == row.metrics.end())
    return std::nullopt;
  TimeBand band;
  band.median_ns = median->second;
  band.low_ns = low->second;
  band.high_ns = high->second;
  return band;
}

// Returns whether the metric is a time, both were repeated, and start phases explain the difference.
bool in_one_band(const std::string& metric, const SweepPointPair& pair) {
  if (metric != "simulated_time_ns") return false;
  const std::optional<TimeBand> a = band_of(pair.before), b = band_of(pair.after);
  return a && b && !distinguishable(*a, *b);
}

// Geometric mean of b / a, minus 1, over all pairs in which both are above 0.
double mean_change(const SweepComparison& c) {
  double logs = 0;
  std::size_t count = 0;
  for (const SweepPointPair& pair : c.pairs)
    if (pair.a > 0 && pair.b > 0) {
      logs += std::log(pair.b / pair.a);
      ++count;
    }
  return count == 0 ? 0 : std::exp(logs / static_cast<double>(count)) - 1;
}

std::string headline(const SweepComparison& c) {
  if (c.pairs.empty()) return "A and B have no finished point in common";
  const auto same = static_cast<std::size_t>(
      std::count_if(c.pairs.begin(), c.pairs.end(), [](const SweepPointPair& p) { return p.a == p.b; }));
  if (same == c.pairs.size())
    return fmt::format("A and B are equal in {} at all {} points that both contain", c.metric, same);
  const double mean = 100 * mean_change(c);
  return fmt::format("B's {} is {:.3g} % {} on average (geometric mean of {} points, {} of them equal)",
                     c.metric, std::fabs(mean), mean < 0 ? "smaller" : "larger", c.pairs.size(), same);
}

}  // namespace

bool is_sweep_folder(const std::string& folder) { return fs::is_regular_file(fs::path(folder) / "sweep.db"); }

SweepComparison compare_sweeps(const std::string& a, const std::string& b, const std::string& metric) {
  const auto before = by_name(a), after = by_name(b);
  require_metric(before, metric, a);
  require_metric(after, metric, b);
  SweepComparison c{a, b, metric, {}, 0, 0, 0};
  for (const auto& [name, row] : before) {
    const auto other = after.find(name);
    if (other == after.end()) {
      ++c.only_a;
      continue;
    }
    const auto x = row.metrics.find(metric), y = other->second.metrics.find(metric);
    if (x == row.metrics.end() || y == other->second.metrics.end())
      ++c.incomparable;
    else
      c.pairs.push_back({row, other->second, x->second, y->second});
  }
  for (const auto& [name, row] : after) c.only_b += before.contains(name) ? 0 : 1;
  std::stable_sort(c.pairs.begin(), c.pairs.end(), [](const SweepPointPair& p, const SweepPointPair& q) {
    return std::fabs(change(p)) > std::fabs(change(q));
  });
  return c;
}

std::string comparison_text(const SweepComparison& c, std::size_t most) {
  std::string text = fmt::format("{}\n\nA  {}\nB  {}\n", headline(c), c.a, c.b);
  if (c.only_a + c.only_b + c.incomparable > 0)
    text += fmt::format("only in A {}, only in B {}, without the metric on a side {}\n", c.only_a, c.only_b,
                        c.incomparable);
  TextTable table{{"A", "B", "change", "point"}, {}};
  for (const SweepPointPair& pair : c.pairs) {
    if (table.rows.size() == most || pair.a == pair.b) break;
    table.rows.push_back({fmt::format("{:.6g}", pair.a), fmt::format("{:.6g}", pair.b),
                          fmt::format("{:+.2f} %{}", 100 * change(pair),
                                      in_one_band(c.metric, pair) ? ", not distinguishable" : ""),
                          name_of(pair.before)});
  }
  return table.rows.empty() ? text : text + "\n" + table.text();
}

std::string comparison_json(const SweepComparison& c) {
  using Json = nlohmann::ordered_json;
  Json pairs = Json::array();
  for (const SweepPointPair& pair : c.pairs)
    pairs.push_back({{"point", name_of(pair.before)},
                     {"number_a", pair.before.number},
                     {"number_b", pair.after.number},
                     {"a", pair.a},
                     {"b", pair.b},
                     {"change", change(pair)},
                     {"distinguishable", !in_one_band(c.metric, pair)}});
  return dump_json(Json{{"schema_version", 1},
                        {"headline", headline(c)},
                        {"a", c.a},
                        {"b", c.b},
                        {"metric", c.metric},
                        {"mean_change", mean_change(c)},
                        {"only_a", c.only_a},
                        {"only_b", c.only_b},
                        {"incomparable", c.incomparable},
                        {"points", pairs}},
                   2) +
         "\n";
}

}  // namespace tahoma::runtime
