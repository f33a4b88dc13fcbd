// SPDX-License-Identifier: Apache-2.0
#include "studies/validation/accuracy/accuracy_page_files.h"

#include <fmt/format.h>

#include <array>
#include <nlohmann/json.hpp>

#include "report/files/markdown.h"
#include "report/tables/column_csv.h"
#include "runtime/host/json/json_text.h"
#include "runtime/host/text/format.h"
#include "studies/validation/accuracy/tables/fabric_table.h"
#include "studies/validation/accuracy/tables/traffic_table.h"

namespace tahoma::runtime {

using Json = nlohmann::ordered_json;

namespace {

template <class Value>
Json or_null(const std::optional<Value>& value) {
  return value ? Json(*value) : Json();
}

Json spread_json(const std::optional<Spread>& spread) {
  return spread ? Json{{"low", spread->low}, {"high", spread->high}} : Json();
}

Json tally_json(const Tally& tally) {
  const bool any = tally.figures > 0;
  return {{"figures", tally.figures},
          {"mean_absolute_error_percent", any ? Json(tally.mean) : Json()},
          {"worst_absolute_error_percent", any ? Json(tally.worst) : Json()},
          {"worst_id", any ? Json(tally.worst_id) : Json()},
          {"rank_correlation", or_null(tally.rank)}};
}

Json tallies_json(const Tallies& tallies) {
  return {{"all", tally_json(tallies.all)},
          {"calibration", tally_json(tallies.calibration)},
          {"check", tally_json(tallies.check)}};
}

Json traffic_json(const model::MemoryTraffic& traffic) {
  return {{"pattern", name_of(traffic.pattern)},
          {"stride_bytes", traffic.step().count},
          {"request_bytes", traffic.request.count},
          {"read_fraction", traffic.read_fraction},
          {"block", traffic.block},
          {"requests", traffic.requests}};
}

bool is_within_limit(const PageRow& row) { return row.has_value() && !row.beyond && !row.is_known_miss(); }

Json miss_json(const KnownMiss& miss) { return {{"error_percent", miss.error}, {"reason", miss.reason}}; }

// Adds the model's outcome to the description of a figure.
Json with_outcome(Json json, const PageRow& row) {
  const bool value = row.has_value();
  json["model"] = value ? Json(row.measured.model) : Json();
  json["error_percent"] = value ? Json(row.error) : Json();
  json["within_limit"] = is_within_limit(row);
  if (row.miss) json["known_miss"] = miss_json(*row.miss);
  json["failure"] = value ? Json() : Json(row.measured.failure);
  if (row.interval) json["interval"] = spread_json(row.interval);
  for (const Beside& beside : row.measured.beside) json[beside.name] = beside.value;
  return json;
}

Json traffic_row_json(const PageRow& row) {
  const Figure& figure = row.figure;
  return with_outcome({{"id", figure.id},
                       {"what", figure.what},
                       {"machine", figure.case_name},
                       {"traffic", traffic_json(*figure.traffic)},
                       {"unit", name_of(figure.unit)},
                       {"reference", figure.reference},
                       {"source", figure.source}},
                      row);
}

Json fabric_row_json(const PageRow& row) {
  const Figure& figure = row.figure;
  return with_outcome({{"id", figure.id},
                       {"what", figure.what},
                       {"machine", figure.case_name},
                       {"traffic",
                        {{"pattern", name_of(figure.fabric->pattern)},
                         {"flits", figure.fabric->flits},
                         {"flit_bytes", figure.fabric->flit.count},
                         {"injection", figure.fabric->injection}}},
                       {"unit", name_of(figure.unit)},
                       {"reference", figure.reference},
                       {"use", name_of(figure.use)},
                       {"source", figure.source}},
                      row);
}

Json collective_row_json(const PageRow& row) {
  const Figure& figure = row.figure;
  return with_outcome({{"id", figure.id},
                       {"what", figure.what},
                       {"case", figure.case_name},
                       {"set", figure.collective->set},
                       {"unit", name_of(figure.unit)},
                       {"reference", figure.reference},
                       {"use", name_of(figure.use)},
                       {"source", figure.source}},
                      row);
}

Json peak_row_json(const PageRow& row) {
  const Figure& figure = row.figure;
  return with_outcome({{"id", figure.id},
                       {"what", figure.what},
                       {"machine", figure.peak->machine},
                       {"case", figure.case_name},
                       {"probe", figure.probe_text},
                       {"work", figure.peak->work},
                       {"unit", name_of(figure.unit)},
                       {"reference", figure.reference},
                       {"source", figure.source}},
                      row);
}

Json accuracy_row_json(const PageRow& row) {
  const Figure& figure = row.figure;
  const bool value = row.has_value();
  Json json{{"id", figure.id},
            {"what", figure.what},
            {"case", figure.case_name},
            {"probe", figure.probe_text},
            {"unit", name_of(figure.unit)},
            {"silicon", figure.reference},
            {"samples", figure.samples},
            {"silicon_spread", spread_json(figure.spread)},
            {"use", name_of(figure.use)},
            {"source", figure.source},
            {"model", value ? Json(row.measured.model) : Json()},
            {"model_over_phases", spread_json(value ? row.phases : std::nullopt)},
            {"error_percent", value ? Json(row.error) : Json()},
            {"within_limit", is_within_limit(row)},
            {"failure", value ? Json() : Json(row.measured.failure)}};
  if (row.interval) json["interval"] = spread_json(row.interval);
  if (row.miss) json["known_miss"] = miss_json(*row.miss);
  return json;
}

using RowWriter = Json (*)(const PageRow& row);

// In the order of FigureKind.
constexpr std::array<RowWriter, 5> kRowWriters{accuracy_row_json, traffic_row_json, fabric_row_json,
                                               collective_row_json, peak_row_json};

RowWriter json_of(FigureKind kind) { return kRowWriters.at(static_cast<std::size_t>(kind)); }

Json family_json(const FamilyPage& page) {
  Json rows = Json::array();
  for (const PageRow& row : page.rows) rows.push_back(json_of(page.family.kind)(row));
  return {{"name", page.family.name},
          {"doc", page.family.doc},
          {"table", page.family.table},
          {"phases", page.family.phases},
          {"limits",
           {{"mean_percent", or_null(page.family.limits.mean)},
            {"worst_percent", or_null(page.family.limits.worst)}}},
          {"law_error_percent", page.law_error ? Json(100 * *page.law_error) : Json()},
          {"statistics", tallies_json(page.tallies)},
          {"figures", std::move(rows)}};
}

// One case per figure, and one for the mean of the family.
JunitSuite junit_suite(const FamilyPage& page) {
  JunitSuite suite{"accuracy." + page.family.name, {}};
  for (const PageRow& row : page.rows)
    suite.cases.push_back({row.figure.id,
                           !row.has_value() ? row.measured.failure
                           : row.beyond     ? miss_text(row, page.family.limits)
                                            : "",
                           row.is_known_miss() ? "known miss: " + row.miss->reason : ""});
  if (page.family.limits.mean)
    suite.cases.push_back(
        {"mean", page.mean_beyond
                     ? fmt::format("{:.2f} %, limit {} %", page.tallies.all.mean, *page.family.limits.mean)
                     : ""});
  return suite;
}

std::string number_or_nothing(bool there, double value) { return there ? shortest(value) : ""; }

std::string row_csv(const std::string& family, const PageRow& row) {
  const Figure& figure = row.figure;
  const bool value = row.has_value(), spread = figure.spread.has_value(),
             phases = value && row.phases.has_value(),
             other = figure.traffic || figure.fabric || figure.collective.has_value();
  return fmt::format(
      "{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}\n", family, figure.id, csv_field(figure.what),
      name_of(figure.unit), number_or_nothing(!other, figure.reference), figure.samples,
      number_or_nothing(spread, spread ? figure.spread->low : 0),
      number_or_nothing(spread, spread ? figure.spread->high : 0),
      number_or_nothing(value, row.measured.model), number_or_nothing(phases, phases ? row.phases->low : 0),
      number_or_nothing(phases, phases ? row.phases->high : 0), number_or_nothing(value, row.error),
      name_of(figure.use), csv_field(figure.source), csv_field(value ? "" : row.measured.failure),
      number_or_nothing(other, figure.reference));
}

}  // namespace

std::string page_json(const Page& page) {
  Json families = Json::array();
  for (const FamilyPage& family : page.families) families.push_back(family_json(family));
  const Json json{{"schema_version", 1},
                  {"title", page.title},
                  {"machine", page.machine},
                  {"overrides", page.overrides},
                  {"headline", page.headline},
                  {"passed", page.passed()},
                  {"limits_exceeded", page.beyond},
                  {"known_misses", page.known},
                  {"statistics", tallies_json(page.tallies)},
                  {"families", std::move(families)}};
  return dump_json(json, 2) + "\n";
}

std::string page_csv(const Page& page) {
  std::string text =
      "family,id,what,unit,silicon,samples,low,high,model,phases_low,phases_high,error_percent,use,source,"
      "failure,reference\n";
  for (const FamilyPage& family : page.families)
    for (const PageRow& row : family.rows) text += row_csv(family.family.name, row);
  return text;
}

std::vector<JunitSuite> page_suites(const Page& page) {
  std::vector<JunitSuite> suites;
  for (const FamilyPage& family : page.families) suites.push_back(junit_suite(family));
  return suites;
}

std::string page_markdown(const Page& page) {
  std::string text =
      fmt::format("### {}: {}\n\n{}\n\n", page.passed() ? "passed" : "FAILED", page.title, page.headline);
  text +=
      "| family | figures | mean error | worst error | limits (mean, worst) |\n|---|---:|---:|---:|---|\n";
  const auto limit = [](const std::optional<double>& percent) {
    return percent ? fmt::format("{} %", *percent) : std::string("none");
  };
  for (const FamilyPage& family : page.families) {
    const Tally& tally = family.tallies.all;
    text += fmt::format("| {} | {} | {:.2f} % | {:.2f} % | {}, {} |\n", family.family.name, tally.figures,
                        tally.mean, tally.worst, limit(family.family.limits.mean),
                        limit(family.family.limits.worst));
  }
  for (const std::string& beyond : page.beyond) text += "\n- " + markdown_cell(beyond);
  for (const std::string& known : page.known) text += "\n- known miss of " + markdown_cell(known);
  return text + (page.beyond.empty() && page.known.empty() ? "\n" : "\n\n");
}

}  // namespace tahoma::runtime
