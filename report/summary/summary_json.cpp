// SPDX-License-Identifier: Apache-2.0
#include "report/summary/summary_json.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "report/energy/energy_tables.h"
#include "report/files/collective_report.h"
#include "report/lines/line_tables.h"
#include "report/links/link_json.h"
#include "report/memory/memory_json.h"
#include "report/summary/engine_columns.h"
#include "report/summary/run_headline.h"
#include "report/tables/column_json.h"
#include "report/tables/declared_json.h"
#include "runtime/host/json/json_text.h"

namespace tahoma::runtime {

using Json = nlohmann::ordered_json;

namespace {

// JSON has no infinity and no NaN; a golden error may be either.
Json number(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  return value;
}

Json figures_json(const std::vector<WorkloadFigure>& figures) {
  Json json = Json::object();
  for (const WorkloadFigure& figure : figures)
    json[figure.key] = {{"value", number(figure.value)}, {"text", figure.text}, {"meaning", figure.meaning}};
  return json;
}

Json golden_json(const GoldenResult& golden) {
  Json json{
      {"outcome", name_of(golden.outcome())}, {"checked", golden.checked()}, {"passed", golden.passed()}};
  json["max_abs_error"] = number(golden.max_abs_error);
  json["max_rel_error"] = number(golden.max_rel_error);
  json["tolerance"] = number(golden.tolerance);
  json["rule"] = golden.rule;
  json["elements"] = golden.elements;
  json["mismatches"] = golden.mismatches;
  json["not_finite"] = golden.not_finite;
  return json;
}

// Each check by its name on the command line; each kind of finding by its code.
Json checks_json(const model::check::Findings& findings) {
  using model::check::Kind;
  const auto entry = [&](bool checked, std::initializer_list<Kind> kinds) {
    Json json{{"checked", checked}};
    if (!checked) return json;
    std::uint64_t found = 0;
    Json codes = Json::object();
    for (const Kind kind : kinds) {
      found += findings.found(kind);
      if (findings.found(kind) > 0) codes[std::string(model::check::code_of(kind))] = findings.found(kind);
    }
    json["found"] = found;
    json["codes"] = codes;
    return json;
  };
  Json json = Json::object();
  json["races"] = entry(findings.checked.races, {Kind::kRace, Kind::kSemaphore});
  json["uninitialised"] =
      entry(findings.checked.uninitialised, {Kind::kUninitialised, Kind::kOpenGroup, Kind::kNoGroup});
  json["first"] = findings.first();
  json["groups"] = Json::array();
  for (const model::check::FindingGroup& group : findings.groups())
    json["groups"].push_back({{"code", model::check::code_of(group.kind)},
                              {"places", {group.places.first, group.places.second}},
                              {"occurrences", group.occurrences},
                              {"pairs", group.pairs}});
  json["redundant_writes"] = {{"found", findings.redundant()}, {"first", findings.first_redundant()}};
  return json;
}

Json engines_json(const Summary& s) {
  Json engines = Json::object();
  for (const EngineSummary& engine : s.engines)
    engines[base::name_of(engine.kind)] = columns_json(engine_columns(), engine);
  return engines;
}

Json chip_faults_json(const std::vector<ChipFault>& faults) {
  Json list = Json::array();
  for (const ChipFault& f : faults)
    list.push_back({{"chip", f.chip}, {"slow", f.faults.slow}, {"dead", f.faults.dead}});
  return list;
}

// Only kinds that took any time are listed.
Json region_json(const RegionSummary& region) {
  Json json = columns_json(region_columns(), region);
  json["engines"] = Json::object();
  for (std::size_t kind = 0; kind < base::kEngineKinds; ++kind)
    if (region.engines[kind].total().fs > 0)
      json["engines"][base::name_of(static_cast<base::EngineKind>(kind))] =
          columns_json(region_engine_columns(), region.engines[kind]);
  return json;
}

Json interval_json(const TimeInterval& interval) {
  return {{"low_ns", interval.low_ns},
          {"high_ns", interval.high_ns},
          {"confidence_percent", 95},
          {"of", interval.of}};
}

Json regions_json(const RunFacts& facts) {
  Json list = Json::array();
  for (const RegionSummary& region : facts.regions.regions) list.push_back(region_json(region));
  return list;
}

// Only programs with source lines have hot spots.
void add_hot_spots(const HotSpots& spots, Json& json) {
  if (spots.lines.empty()) return;
  const auto list = [](const std::vector<HotSpot>& all) {
    Json top = Json::array();
    for (std::size_t n = 0; n < std::min(kMostHotSpots, all.size()); ++n)
      top.push_back(columns_json(hot_spot_columns(), all[n]));
    return top;
  };
  json["lines_share_of"] = spots.limit;
  json["lines"] = list(spots.lines);
  json["functions"] = list(spots.functions);
}

Json path_json(const PathSummary& path) {
  Json resources = Json::array(), operations = Json::array(), spots = Json::array(), rows = Json::array();
  for (const PathResourceShare& share : path.resources)
    resources.push_back(columns_json(path_resource_columns(), share));
  for (const PathShare& share : path.operations)
    operations.push_back(columns_json(path_operation_columns(), share));
  for (const PathHotSpot& spot : path.hot_spots) spots.push_back(columns_json(path_hot_spot_columns(), spot));
  for (const PathRow& row : path.rows) rows.push_back(columns_json(path_row_columns(), row));
  return {{"steps", path.steps},    {"not_followed", path.not_followed},
          {"resources", resources}, {"operations", operations},
          {"hot_spots", spots},     {"rows", rows}};
}

// The resource that limits the critical path; null for a run without instructions.
Json limits_json(const PathSummary& path) {
  const std::optional<PathResourceShare> limit = limiting_of(path.resources);
  if (!limit) return nullptr;
  return {{"resource", limit->resource},
          {"share_percent", limit->share_percent},
          {"operation", limit->operation},
          {"operation_percent", limit->operation_percent}};
}

// The declared figures of the whole run, and the vendor's flat names beside our tree.
void add_vendor_metrics(const Summary& s, Json& json) {
  add_declared(json, s, s.elapsed);
  for (const EngineSummary& engine : s.engines)
    if (engine.kind != base::EngineKind::kCollective)
      json[std::string(base::name_of(engine.kind)) + "_engine_active_time_percent"] = engine.active_percent;
}

}  // namespace

std::string summary_json(const Summary& s) {
  Json json = Json::object();
  json["schema_version"] = kSummarySchemaVersion;
  json["headline"] = headline_json(headline_of(s));
  json["workload"] = s.facts.workload;
  json["machine"] = s.facts.machine;
  json["mode"] = s.facts.mode;
  json["programs_hash"] = s.facts.programs;
  json["warnings"] = s.facts.warnings;
  json["cores"] = {{"machine", s.machine_cores}, {"used", s.facts.cores_used}, {"active", s.active_cores}};
  json["chip_faults"] = chip_faults_json(s.chip_faults);
  add_vendor_metrics(s, json);
  json["flops"] = declared_json(s.flops, s.elapsed);
  json["golden"] = golden_json(s.facts.golden);
  json["checks"] = checks_json(s.facts.checks);
  json["engines"] = engines_json(s);
  if (s.array) json["array"] = declared_json(*s.array);
  json["dma"] = declared_json(s.dma);
  json["hbm"] = hbm_json(s.hbm, s.elapsed);
  json["links"] = links_json(s.links);
  json["collectives"] = collectives_json(s.facts.collectives);
  json["energy"] = s.facts.energy ? energy_json(*s.facts.energy, s.facts.useful_flops) : Json(nullptr);
  json["area"] = s.facts.area ? area_json(*s.facts.area) : Json(nullptr);
  json["cost"] = s.facts.cost ? cost_json(*s.facts.cost) : Json(nullptr);
  json["figures"] = figures_json(s.facts.figures);
  json["whole"] = region_json(s.facts.regions.whole);
  json["regions"] = regions_json(s.facts);
  add_hot_spots(s.facts.hot_spots, json);
  json["critical_path"] = path_json(s.facts.path);
  json["busiest"] = {{"resource", s.busiest.resource},
                     {"share_percent", s.busiest.share_percent},
                     {"instance", s.busiest.instance}};
  if (!s.facts.together.empty()) json["programs"] = programs_json(s.facts.together);
  if (const auto sharing = sharing_of(s.facts.together)) json["sharing"] = declared_json(*sharing);
  if (s.facts.band) json["band"] = declared_json(*s.facts.band);
  if (s.facts.interval) json["interval"] = interval_json(*s.facts.interval);
  json["limits"] = limits_json(s.facts.path);
  set_verdict(json, s.facts.bottlenecks);
  return dump_json(json, 2) + "\n";
}

}  // namespace tahoma::runtime
