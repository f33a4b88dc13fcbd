// SPDX-License-Identifier: Apache-2.0
#include "runtime/report/files/statistics_tables.h"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "model/base/error.h"
#include "model/base/shares.h"
#include "runtime/report/summary/format.h"

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

std::string hbm_csv(const base::RunMeasurement& run) {
  std::string text =
      "name,stack,failed,read_bytes,write_bytes,achieved_percent,row_hits,row_misses,row_conflicts,activates,"
      "precharges,refreshes,data_percent,refresh_percent,turnaround_percent,bank_percent,idle_percent,"
      "mean_reads_queued,most_reads_queued,mean_writes_queued,most_writes_queued,corrected_errors\n";
  const auto share = [&](base::Duration part) { return shortest(percent_of(part, run.elapsed)); };
  for (const auto& stack : run.hbm)
    for (const auto& c : stack.channels)
      text +=
          fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}\n",
                      csv_field(c.path), csv_field(stack.path), c.failed ? 1 : 0, c.read_bytes, c.write_bytes,
                      shortest(achieved_percent(c.read_bytes + c.write_bytes, c.peak, run.elapsed)),
                      c.row_hits, c.row_misses, c.row_conflicts, c.activates, c.precharges, c.refreshes,
                      share(c.data), share(c.lost_refresh), share(c.lost_turnaround), share(c.lost_bank),
                      share(c.idle), shortest(c.mean_reads_queued), c.most_reads_queued,
                      shortest(c.mean_writes_queued), c.most_writes_queued, c.corrected_errors);
  return text;
}

}  // namespace tahoma::runtime
