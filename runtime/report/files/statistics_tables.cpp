// SPDX-License-Identifier: Apache-2.0
#include "runtime/report/files/statistics_tables.h"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "model/base/error.h"
#include "runtime/report/summary/format.h"
#include "runtime/report/tables/column_csv.h"

namespace tahoma::runtime {

using base::Stat;
using Json = nlohmann::ordered_json;

namespace {

void check_finite(const Stat& stat) {
  const double* value = std::get_if<double>(&stat.value);
  TAHOMA_INVARIANT(value == nullptr || std::isfinite(*value),
                   stat.path + ": a statistic is not a finite number");
}

std::string value_text(const Stat& stat) {
  check_finite(stat);
  if (const auto* count = std::get_if<std::uint64_t>(&stat.value)) return std::to_string(*count);
  return shortest(std::get<double>(stat.value));
}

Json value_json(const Stat& stat) {
  check_finite(stat);
  if (const auto* count = std::get_if<std::uint64_t>(&stat.value)) return *count;
  return std::get<double>(stat.value);
}

}  // namespace

std::string stats_json(const std::vector<Stat>& stats) {
  // One line per statistic, so that 100,000 of them remain readable for grep and diff.
  std::string text = "[\n";
  for (std::size_t i = 0; i < stats.size(); ++i) {
    const Json json{{"path", stats[i].path},
                    {"value", value_json(stats[i])},
                    {"unit", base::name_of(stats[i].unit)},
                    {"description", stats[i].doc}};
    text += "  " + json.dump() + (i + 1 < stats.size() ? ",\n" : "\n");
  }
  text += "]\n";
  return text;
}

std::string stats_csv(const std::vector<Stat>& stats) {
  std::string text = "path,value,unit,description\n";
  for (const Stat& stat : stats)
    text += fmt::format("{},{},{},{}\n", csv_field(stat.path), value_text(stat), base::name_of(stat.unit),
                        csv_field(stat.doc));
  return text;
}

}  // namespace tahoma::runtime
