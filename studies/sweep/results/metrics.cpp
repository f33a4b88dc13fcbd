// SPDX-License-Identifier: Apache-2.0
#include "studies/sweep/results/metrics.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "model/base/error.h"
#include "report/summary/summary_numbers.h"
#include "studies/batch/atomic_files.h"

namespace tahoma::runtime {

namespace {

using SummaryJson = nlohmann::json;
constexpr const char* kNotFinite = "E-SWP-022";

}  // namespace

Names names_in(const std::map<std::string, double>& metrics,
               const std::map<std::string, double>& parameters) {
  return {[&](const std::string& name) -> std::optional<double> {
            for (const auto* values : {&metrics, &parameters})
              if (const auto at = values->find(name); at != values->end()) return at->second;
            return std::nullopt;
          },
          [&] {
            std::vector<std::string> names;
            for (const auto* values : {&metrics, &parameters})
              for (const auto& [name, value] : *values) names.push_back(name);
            return names;
          }};
}

Texts texts_of_summary(const std::string& summary_json) {
  Texts texts;
  const SummaryJson json = SummaryJson::parse(summary_json, nullptr, false);
  for (const std::string name : {kBusiestText, kProgramsText}) {
    std::string path = "/" + name;
    std::replace(path.begin(), path.end(), '.', '/');
    const SummaryJson::json_pointer place(path);
    if (!json.is_discarded() && json.contains(place) && json[place].is_string())
      texts[name] = json[place].get<std::string>();
  }
  return texts;
}

std::map<std::string, double> metrics_of(const SweepSpec& spec, const PreparedSweepPoint& point,
                                         const std::filesystem::path& folder) {
  std::map<std::string, double> metrics = numbers_of_summary(text_of_file(folder / "out" / "summary.json"));
  for (const auto& [name, expression] : spec.metrics) {
    try {
      metrics[name] = expression.value(names_in(metrics, point.values));
    } catch (const base::UserError& error) {
      if (error.code != kNotFinite) throw;
    }
  }
  return metrics;
}

PointMeasures measures_of(const SweepSpec& spec, const PreparedSweepPoint& point,
                          const std::filesystem::path& folder) {
  return {metrics_of(spec, point, folder), texts_of_summary(text_of_file(folder / "out" / "summary.json"))};
}

}  // namespace tahoma::runtime
