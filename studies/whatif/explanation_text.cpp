// SPDX-License-Identifier: Apache-2.0
// Explanations as text and as JSON.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "report/tables/declared_json.h"
#include "runtime/host/text/format.h"
#include "studies/whatif/explain.h"
#include "studies/whatif/shorter.h"

namespace tahoma::runtime {

namespace {

using base::Duration;
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
  const std::string name = row.resource.part_of.empty() ? row.resource.name : "  " + row.resource.name;
  if (!row.run.failure.empty())
    return fmt::format("  {:<21} {:>12} {:>31}{}: {}\n", name, "-", "",
                       row.run.refused ? "refused" : "FAILED", row.run.failure);
  const double shorter = percent_shorter(e.run.time, row.run.time);
  return fmt::format("  {:<21} {:>12} {:>7.1f} % {:>8} {:>9}   {}{}\n", name, time_text(row.run.time),
                     shorter, row.mm2 ? fmt::format("{:.1f}", *row.mm2) : "",
                     row.mm2 && *row.mm2 > 0 ? fmt::format("{:.2f}", shorter / *row.mm2) : "",
                     row.resource.doc,
                     other_program(e, row) + (e.distinguishable(row.run) ? "" : "; not distinguishable"));
}

// "HBM (31.2 % shorter if ideal)", and what the bottleneck of the run saves there if it is another one.
std::string region_verdict(const Explanation& e, const Bottlenecks& all, const std::string& name,
                           Duration time) {
  const Bottleneck& own = *all.of_region(name);
  if (own.resource == all.whole.resource || all.whole.resource.empty()) return own.text();
  const auto whole = std::find_if(e.rows.begin(), e.rows.end(),
                                  [&](const WhatIf& row) { return row.resource.name == all.whole.resource; });
  const Duration* with = whole->run.of_region(name);
  return with == nullptr
             ? own.text()
             : fmt::format("{}; {} {:.1f} %", own.text(), all.whole.resource, percent_shorter(time, *with));
}

// Why no region names the bottleneck of the run.
std::string regions_note(const Bottlenecks& all) {
  const bool named = std::any_of(all.regions.begin(), all.regions.end(), [&](const auto& region) {
    return region.second.resource == all.whole.resource;
  });
  if (named) return "";
  return fmt::format(
      "  {} is the bottleneck of the run, though of no region: regions overlap, and it also holds the time "
      "between them\n",
      all.whole.resource.empty() ? "No single resource" : all.whole.resource);
}

std::string regions_text(const Explanation& e, const Bottlenecks& all) {
  if (e.run.regions.size() < 2) return "";
  std::string text = fmt::format("\n  {:<30} {:>12}   bottleneck\n", "region", "time");
  for (std::size_t n = 0; n < std::min(kMostRegions, e.run.regions.size()); ++n) {
    const auto& [name, time] = e.run.regions[n];
    text += fmt::format("  {:<30} {:>12}   {}\n", name, time_text(time), region_verdict(e, all, name, time));
  }
  if (e.run.regions.size() > kMostRegions)
    text += fmt::format("  and {} more with --format json\n", e.run.regions.size() - kMostRegions);
  return text + regions_note(all);
}

Json bottleneck_entry(const Bottleneck& bottleneck) {
  return {{"resource", bottleneck.resource}, {"shorter_percent", bottleneck.shorter_percent}};
}

Json row_entry(const Explanation& e, const WhatIf& row) {
  const bool known = row.run.failure.empty();
  Json regions = Json::object();
  for (const auto& [name, time] : row.run.regions) regions[name] = time.ns();
  return {{"resource", row.resource.name},
          {"part_of", row.resource.part_of},
          {"doc", row.resource.doc},
          {"overrides", row.resource.overrides},
          {"time_ns", known ? Json(row.run.time.ns()) : Json(nullptr)},
          {"shorter_percent", known ? Json(percent_shorter(e.run.time, row.run.time)) : Json(nullptr)},
          {"distinguishable", known && e.distinguishable(row.run)},
          {"area_mm2", row.mm2 ? Json(*row.mm2) : Json(nullptr)},
          {"area_dollars", row.dollars ? Json(*row.dollars) : Json(nullptr)},
          {"instructions", known ? Json(row.run.instructions) : Json(nullptr)},
          {"regions_ns", regions},
          {"failure", row.run.failure},
          {"refused", row.run.refused}};
}

}  // namespace

std::string explanation_text(const Explanation& e) {
  const std::optional<Bottlenecks> all = e.bottlenecks();
  std::string text = fmt::format("{}, bottleneck: {}\n\n", time_text(e.run.time),
                                 all ? all->whole.text() : "unknown, because repetitions failed");
  if (e.band)
    text += fmt::format(
        "  {} start phases: {:.0f} % of runs between {} and {}; a time there is not distinguishable\n\n",
        e.band->runs, e.band->percent, time_text_of_ns(e.band->low_ns), time_text_of_ns(e.band->high_ns));
  text += fmt::format("  {:<21} {:>12} {:>9} {:>8} {:>9}\n", "one ideal", "time", "shorter", "mm2", "%/mm2");
  // Parts follow their resource.
  for (const WhatIf& row : e.rows) {
    if (!row.resource.part_of.empty()) continue;
    text += row_text(e, row);
    for (const WhatIf& part : e.rows)
      if (part.resource.part_of == row.resource.name) text += row_text(e, part);
  }
  text += row_text(e, e.everything) +
          "\n  mm2: what twice as much of the resource adds to the chip (tahoma area); %/mm2: the most "
          "that this can gain for each\n";
  return text + (all ? regions_text(e, *all) : "");
}

std::string explanation_json(const Explanation& e) {
  const std::optional<Bottlenecks> all = e.bottlenecks();
  Json rows = Json::array(), regions = Json::array();
  for (const WhatIf& row : e.rows) rows.push_back(row_entry(e, row));
  for (const auto& [name, time] : e.run.regions)
    regions.push_back({{"name", name},
                       {"time_ns", time.ns()},
                       {"bottleneck", all ? bottleneck_entry(*all->of_region(name)) : Json(nullptr)}});
  return Json{{"run", e.name},
              {"time_ns", e.run.time.ns()},
              {"band", e.band ? declared_json(*e.band) : Json(nullptr)},
              {"instructions", e.run.instructions},
              {"bottleneck", all ? bottleneck_entry(all->whole) : Json(nullptr)},
              {"resources", rows},
              {"all_ideal", row_entry(e, e.everything)},
              {"regions", regions}}
             .dump(2, ' ', false, Json::error_handler_t::replace) +
         "\n";
}

}  // namespace tahoma::runtime
