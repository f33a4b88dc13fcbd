// SPDX-License-Identifier: Apache-2.0
// Sensitivities as text, JSON and CSV.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "report/tables/column_csv.h"
#include "report/tables/declared_json.h"
#include "report/text/text_layout.h"
#include "runtime/host/json/json_text.h"
#include "runtime/host/text/format.h"
#include "studies/whatif/sensitivity.h"

namespace tahoma::runtime {

namespace {

using SensitivityJson = nlohmann::ordered_json;

std::string seconds(double value) { return time_text({static_cast<std::int64_t>(value * 1e15)}); }

std::string change(const SensitivityEnd& end) {
  if (!end.skipped.empty()) return "skipped";
  return fmt::format("{:+.2f} %{}", end.percent, end.distinguishable ? "" : " (=)");
}

std::string region_of(const SensitivityRow& row) {
  const SensitivityEnd& end =
      std::abs(row.low.region_percent) > std::abs(row.high.region_percent) ? row.low : row.high;
  return end.region.empty() ? "" : fmt::format("{} {:+.1f} %", end.region, end.region_percent);
}

std::string headline(const Sensitivity& s) {
  std::string text =
      fmt::format("{}: {}, 95 % interval {} to {}; {} of {} parameters change it by more than {:g} %", s.name,
                  time_text(s.run.time), seconds(s.interval_low()), seconds(s.interval_high()), s.felt(),
                  s.run_rows(), kFeltPercent);
  if (s.felt() > 0) text += fmt::format(", {} most", s.rows.front().path);
  return text + "\n";
}

SensitivityJson end_json(const SensitivityEnd& end) {
  if (!end.skipped.empty()) return {{"value", end.value}, {"skipped", end.skipped}};
  SensitivityJson json{{"value", end.value},
                       {"time_ns", end.run.time.ns()},
                       {"change_percent", end.percent},
                       {"distinguishable", end.distinguishable}};
  if (!end.region.empty()) json["region"] = {{"name", end.region}, {"change_percent", end.region_percent}};
  return json;
}

}  // namespace

std::string sensitivity_text(const Sensitivity& s) {
  std::string text = headline(s) + "\n";
  if (s.band)
    text += fmt::format("  {} start phases: {:.0f} % of runs between {} and {}; (=): not distinguishable\n\n",
                        s.band->runs, s.band->percent, time_text_of_ns(s.band->low_ns),
                        time_text_of_ns(s.band->high_ns));
  text += fmt::format("  {:<52} {:<9} {:>10} {:>10} {:>9} {:>10} {:>9}  {}\n", "parameter", "source", "value",
                      "low", "time", "high", "time", "most changed region");
  std::size_t felt = 0;
  for (const SensitivityRow& row : s.rows) {
    if (row.largest() <= kFeltPercent) break;
    ++felt;
    text += trimmed(fmt::format("  {:<52} {:<9} {:>10} {:>10} {:>9} {:>10} {:>9}  {}", fitted(row.path, 52),
                                base::name_of(row.provenance), row.value, row.low.value, change(row.low),
                                row.high.value, change(row.high), region_of(row))) +
            "\n";
  }
  if (felt == 0) text += "  none\n";
  const std::size_t skipped = s.rows.size() - s.run_rows();
  return text +
         fmt::format(
             "\n{} others change it by at most {:g} %; {} could not be changed (--format csv lists all)\n",
             s.run_rows() - felt, kFeltPercent, skipped);
}

std::string sensitivity_json(const Sensitivity& s) {
  SensitivityJson json{{"schema_version", 1}, {"name", s.name}, {"time_ns", s.run.time.ns()}};
  json["interval_ns"] = {s.interval_low() * 1e9, s.interval_high() * 1e9};
  if (s.band) json["band"] = declared_json(*s.band);
  json["felt"] = s.felt();
  json["parameters"] = SensitivityJson::array();
  for (const SensitivityRow& row : s.rows)
    json["parameters"].push_back({{"path", row.path},
                                  {"provenance", base::name_of(row.provenance)},
                                  {"source", row.note},
                                  {"value", row.value},
                                  {"low", end_json(row.low)},
                                  {"high", end_json(row.high)}});
  return dump_json(json, 2) + "\n";
}

std::string sensitivity_csv(const Sensitivity& s) {
  std::string text = "path,provenance,value,low,low_percent,high,high_percent,skipped,source\n";
  const auto percent = [](const SensitivityEnd& end) {
    return end.skipped.empty() ? shortest(end.percent) : std::string();
  };
  for (const SensitivityRow& row : s.rows)
    text += fmt::format(
        "{},{},{},{},{},{},{},{},{}\n", row.path, base::name_of(row.provenance), csv_field(row.value),
        csv_field(row.low.value), percent(row.low), csv_field(row.high.value), percent(row.high),
        csv_field(row.low.skipped.empty() ? row.high.skipped : row.low.skipped), csv_field(row.note));
  return text;
}

}  // namespace tahoma::runtime
