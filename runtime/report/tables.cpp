// SPDX-License-Identifier: Apache-2.0
#include "runtime/report/tables.h"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "model/base/error.h"
#include "runtime/report/format.h"
#include "runtime/report/saturation.h"
#include "runtime/report/summary.h"

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

std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + "\"";
}

std::string stats_json(const std::vector<Stat>& stats) {
  // One line per statistic: 100,000 of them stay readable to grep and diff.
  std::string text = "[\n";
  for (std::size_t i = 0; i < stats.size(); ++i) {
    const Json json{{"path", stats[i].path},
                    {"value", value_json(stats[i])},
                    {"unit", base::name_of(stats[i].unit)},
                    {"description", stats[i].doc}};
    text += "  " + json.dump() + (i + 1 < stats.size() ? ",\n" : "\n");
  }
  return text + "]\n";
}

std::string stats_csv(const std::vector<Stat>& stats) {
  std::string text = "path,value,unit,description\n";
  for (const Stat& stat : stats)
    text += fmt::format("{},{},{},{}\n", csv_field(stat.path), value_text(stat), base::name_of(stat.unit),
                        csv_field(stat.doc));
  return text;
}

std::string links_csv(const base::RunMeasurement& run) {
  std::string text =
      "name,from_chip,to_chip,axis,payload_bytes,wire_bytes,packets,busy_percent,queue_full_ns,queue_full_"
      "percent,"
      "queue_high_water,saturated_windows\n";
  for (const auto& link : run.links)
    text += fmt::format("{},{},{},{},{},{},{},{},{},{},{},{}\n", csv_field(link.path), link.from_chip,
                        link.to_chip, link.axis, link.payload_bytes, link.wire_bytes, link.packets,
                        shortest(percent_of(link.busy, run.elapsed)),
                        shortest(static_cast<double>(link.queue_full.fs) / 1e6),
                        shortest(percent_of(link.queue_full, run.elapsed)), link.queue_high_water,
                        saturated_windows(link.series, run.elapsed));
  return text;
}

}  // namespace tahoma::runtime
