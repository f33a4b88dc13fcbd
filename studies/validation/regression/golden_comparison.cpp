// SPDX-License-Identifier: Apache-2.0
#include "studies/validation/regression/golden_comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <set>

#include "model/base/error.h"
#include "report/store/run_store.h"
#include "runtime/host/json/json_text.h"
#include "runtime/host/text/format.h"
#include "studies/validation/regression/differences/difference_json.h"

namespace tahoma::runtime {

namespace fs = std::filesystem;
using base::UserError;
using Json = nlohmann::ordered_json;

namespace {

constexpr const char* kSummary = "summary.json";

// The summary of a run; another JSON text would count as a run that took no time.
Json summary_of_run(const std::string& text) {
  Json json = Json::parse(text);
  for (const char* key : {"schema_version", "simulated_time_ns"})
    if (!json.is_object() || !json.contains(key) || !json[key].is_number())
      throw std::invalid_argument(fmt::format("expected a number '{}'", key));
  return json;
}

std::optional<double> joules_of_run(const Json& summary) {
  const Json::json_pointer place("/energy/joules");
  if (!summary.contains(place) || !summary[place].is_number()) return std::nullopt;
  return summary[place].get<double>();
}

std::optional<TimeBand> band_of_run(const Json& summary) {
  if (!summary.contains("band") || !summary["band"].is_object()) return std::nullopt;
  const Json& json = summary["band"];
  TimeBand band;
  band.runs = json.at("runs").get<std::uint64_t>();
  band.median_ns = json.at("median_ns").get<double>();
  band.low_ns = json.at("low_ns").get<double>();
  band.high_ns = json.at("high_ns").get<double>();
  band.percent = json.at("percent").get<double>();
  return band;
}

std::string band_text(const TimeBand& band) {
  return fmt::format("{} ({} to {})", time_text_of_ns(band.median_ns), time_text_of_ns(band.low_ns),
                     time_text_of_ns(band.high_ns));
}

std::string bands_headline(const TimeBand& a, const TimeBand& b) {
  const std::string times = fmt::format("{} -> {}", band_text(a), band_text(b));
  if (!distinguishable(a, b))
    return fmt::format("A and B are not distinguishable: in the medians of their start phases {}", times);
  const double percent = 100 * std::fabs(b.median_ns - a.median_ns) / a.median_ns;
  return fmt::format("B is {:.1f} % {} in the medians of their start phases: {}", percent,
                     b.median_ns < a.median_ns ? "faster" : "slower", times);
}

std::string energy_line(const Comparison& c) {
  if (!c.joules_before || !c.joules_after) return "";
  const double a = *c.joules_before, b = *c.joules_after;
  return fmt::format("energy of the chips in use: {} -> {}{}\n", fine_text(a, "J"), fine_text(b, "J"),
                     a > 0 ? fmt::format(" ({:+.1f} %)", 100 * (b - a) / a) : "");
}

void require_run_folder(const RunStore& store) {
  if (!store.has(kSummary) || !has_statistics(store.folder()))
    throw UserError(
        "E-REG-013", store.folder().string(),
        fmt::format("not a run: expected a folder of tahoma run, with {} and {}", kSummary, kStoreName));
}

}  // namespace

RunFolder read_run_folder(const std::string& path) {
  const RunStore store(path);
  require_run_folder(store);
  const std::string text = store.file(kSummary).value();
  try {
    const Json json = summary_of_run(text);
    return {path,
            joined(named_summary_statistics(text), class_statistics(store.statistics(), {"*"})),
            json.value("workload", ""),
            json.value("programs_hash", ""),
            joules_of_run(json),
            band_of_run(json)};
  } catch (const UserError&) {
    throw;
  } catch (const std::exception& error) {
    throw UserError("E-REG-014", (fs::path(path) / kSummary).string(),
                    fmt::format("not a file of tahoma run: {}", error.what()));
  }
}

Comparison compare_runs(const RunFolder& a, const RunFolder& b) {
  std::set<std::string> names;
  for (const RunFolder* run : {&a, &b})
    for (const Statistic& s : run->statistics) names.insert(s.name);
  const Headline before = headline_of(a.statistics), after = headline_of(b.statistics);
  const std::vector<DifferenceGroup> groups = differences_of(a.statistics, b.statistics);
  return {.a = a.path,
          .b = b.path,
          .before = before,
          .after = after,
          .compared = names.size(),
          .groups = groups,
          .leads = leading_changes(groups, before.time_ns, after.time_ns),
          .other_programs = a.programs != b.programs && !a.programs.empty() && !b.programs.empty(),
          .other_workloads =
              a.workload == b.workload ? "" : fmt::format("A is '{}', B is '{}'", a.workload, b.workload),
          .joules_before = a.joules,
          .joules_after = b.joules,
          .band_before = a.band,
          .band_after = b.band};
}

std::string comparison_headline(const Comparison& c) {
  if (c.band_before && c.band_after) return bands_headline(*c.band_before, *c.band_after);
  if (c.groups.empty()) return fmt::format("A and B are equal: {}", headline_text(c.after));
  const double a = c.before.time_ns, b = c.after.time_ns;
  if (a == b || a == 0) return fmt::format("B takes as long as A: {}", headline_text(c.after));
  const double percent = 100 * std::fabs(b - a) / a;
  const std::string size = percent < 0.1 ? fmt::format("{:.2g}", percent) : fmt::format("{:.1f}", percent);
  const std::string busiest =
      c.before.busiest == c.after.busiest ? "" : "; in A the busiest was " + c.before.busiest;
  return fmt::format("B is {} % {}: {} -> {}{}", size, b < a ? "faster" : "slower", headline_time(c.before),
                     headline_text(c.after), busiest);
}

std::string comparison_text(const Comparison& c, std::size_t most) {
  const std::size_t differ = count_of(c.groups);
  const std::string programs =
      !c.other_workloads.empty()
          ? fmt::format("The programs differ, because the workloads do: {}.\n", c.other_workloads)
      : c.other_programs ? "The programs differ, though the workload is the same: kernels adapt to the "
                           "machine and to settings, "
                           "so the change is not of the hardware alone.\n"
                         : "";
  return fmt::format("{}\n\nA  {}: {}\nB  {}: {}\n{}{}{} of {} statistics differ\n\n", comparison_headline(c),
                     c.a, headline_text(c.before), c.b, headline_text(c.after), energy_line(c), programs,
                     differ, c.compared) +
         leads_text(c.leads, "") + groups_text(c.groups, most, "");
}

std::string comparison_json(const Comparison& c) {
  const Json json{{"schema_version", 1},
                  {"headline", comparison_headline(c)},
                  {"a", {{"folder", c.a}, {"headline", headline_json(c.before)}}},
                  {"b", {{"folder", c.b}, {"headline", headline_json(c.after)}}},
                  {"joules",
                   {c.joules_before ? Json(*c.joules_before) : Json(nullptr),
                    c.joules_after ? Json(*c.joules_after) : Json(nullptr)}},
                  {"other_programs", c.other_programs},
                  {"other_workloads", !c.other_workloads.empty()},
                  {"compared", c.compared},
                  {"leading", leads_json(c.leads)},
                  {"groups", groups_json(c.groups)}};
  return dump_json(json, 2) + "\n";
}

}  // namespace tahoma::runtime
