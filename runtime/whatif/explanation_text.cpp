// SPDX-License-Identifier: Apache-2.0
// Explanations as text and as JSON.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "runtime/report/summary/format.h"
#include "runtime/whatif/explain.h"
#include "runtime/whatif/shorter.h"

namespace tahoma::runtime {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMostRegions = 24;  // of the text; JSON has all

// A kernel may cut its tiles for the machine; then the times are those of two different programs.
std::string other_program(const Explanation& e, const WhatIf& row) {
  return row.run.instructions == e.run.instructions
             ? ""
             : fmt::format("; the program differs: {} instructions instead of {}", row.run.instructions,
                           e.run.instructions);
}

std::string row_text(const Explanation& e, const WhatIf& row) {
  if (!row.run.failure.empty())
    return fmt::format("  {:<18} {:>12}          {}\n", row.resource.name, "-", row.run.failure);
  return fmt::format("  {:<18} {:>12} {:>7.1f} %   {}{}\n", row.resource.name, time_text(row.run.time),
                     percent_shorter(e.run.time, row.run.time), row.resource.doc, other_program(e, row));
}

std::string regions_text(const Explanation& e, const Bottlenecks& bottlenecks) {
  if (e.run.regions.size() < 2) return "";
  std::string text = fmt::format("\n  {:<30} {:>12}   bottleneck\n", "region", "time");
  for (std::size_t n = 0; n < std::min(kMostRegions, e.run.regions.size()); ++n) {
    const auto& [name, time] = e.run.regions[n];
    text += fmt::format("  {:<30} {:>12}   {}\n", name, time_text(time), bottlenecks.of_region(name)->text());
  }
  if (e.run.regions.size() > kMostRegions)
    text += fmt::format("  and {} more with --format json\n", e.run.regions.size() - kMostRegions);
  return text;
}

Json bottleneck_entry(const Bottleneck& bottleneck) {
  return {{"resource", bottleneck.resource}, {"shorter_percent", bottleneck.shorter_percent}};
}

Json row_entry(const Explanation& e, const WhatIf& row) {
  const bool known = row.run.failure.empty();
  Json regions = Json::object();
  for (const auto& [name, time] : row.run.regions) regions[name] = time.ns();
  return {{"resource", row.resource.name},
          {"doc", row.resource.doc},
          {"overrides", row.resource.overrides},
          {"time_ns", known ? Json(row.run.time.ns()) : Json(nullptr)},
          {"shorter_percent", known ? Json(percent_shorter(e.run.time, row.run.time)) : Json(nullptr)},
          {"instructions", known ? Json(row.run.instructions) : Json(nullptr)},
          {"regions_ns", regions},
          {"failure", row.run.failure}};
}

}  // namespace

std::string explanation_text(const Explanation& e) {
  const Bottlenecks bottlenecks = e.bottlenecks();
  std::string text = fmt::format("{}, bottleneck: {}\n\n", time_text(e.run.time), bottlenecks.whole.text());
  text += fmt::format("  {:<18} {:>12} {:>9}\n", "one ideal", "time", "shorter");
  for (const WhatIf& row : e.rows) text += row_text(e, row);
  return text + row_text(e, e.everything) + regions_text(e, bottlenecks);
}

std::string explanation_json(const Explanation& e) {
  const Bottlenecks bottlenecks = e.bottlenecks();
  Json rows = Json::array(), regions = Json::array();
  for (const WhatIf& row : e.rows) rows.push_back(row_entry(e, row));
  for (const auto& [name, time] : e.run.regions)
    regions.push_back({{"name", name},
                       {"time_ns", time.ns()},
                       {"bottleneck", bottleneck_entry(*bottlenecks.of_region(name))}});
  return Json{{"run", e.name},
              {"time_ns", e.run.time.ns()},
              {"instructions", e.run.instructions},
              {"bottleneck", bottleneck_entry(bottlenecks.whole)},
              {"resources", rows},
              {"all_ideal", row_entry(e, e.everything)},
              {"regions", regions}}
             .dump(2, ' ', false, Json::error_handler_t::replace) +
         "\n";
}

}  // namespace tahoma::runtime
