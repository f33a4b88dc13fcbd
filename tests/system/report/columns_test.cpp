// SPDX-License-Identifier: Apache-2.0
// Every declared column of a report stands in a file of a run, and `tahoma stats` explains it.
#include "model/base/columns.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "report/reference/table_list.h"
#include "report/regions/regions.h"
#include "report/tables/column_csv.h"
#include "report/tables/column_json.h"
#include "tests/support/program/file_of_run.h"
#include "tests/support/subprocess.h"

using namespace tahoma;
using namespace tahoma::tests;
using base::Unit;
using nlohmann::json;

namespace {

// All objects at that place; '*' stands for every key and every number.
std::vector<json> objects_at(const json& from, const std::string& place) {
  if (place.empty()) return {from};
  const std::size_t dot = place.find('.');
  const std::string key = place.substr(0, dot), rest = dot == std::string::npos ? "" : place.substr(dot + 1);
  std::vector<json> found;
  const auto follow = [&](const json& next) {
    for (json& object : objects_at(next, rest)) found.push_back(std::move(object));
  };
  if (key == "*") {
    for (const json& next : from) follow(next);
  } else if (from.is_object() && from.contains(key)) {
    follow(from[key]);
  }
  return found;
}

std::set<std::string> header_of(const std::string& csv) {
  std::set<std::string> names;
  std::istringstream line(csv.substr(0, csv.find('\n')));
  for (std::string name; std::getline(line, name, ',');) names.insert(name);
  return names;
}

// Columns that the files of that folder do not have, by their places.
std::vector<std::string> missing_from(const std::string& folder,
                                      const std::vector<runtime::DeclaredTable>& tables) {
  const json summary = json::parse(contents(folder + "/summary.json"));
  std::vector<std::string> missing;
  for (const runtime::DeclaredTable& table : tables) {
    const auto header =
        table.csv.empty() ? std::set<std::string>{} : header_of(tests::file_of_run(folder + "/" + table.csv));
    for (const base::ColumnText& column : table.columns) {
      if (!column.csv.empty() && !header.contains(column.csv))
        missing.push_back(table.csv + "/" + column.csv);
      if (column.json.empty() || (table.json.empty() && !table.csv.empty())) continue;
      const std::string place = table.json.empty() ? column.json : table.json + "." + column.json;
      if (objects_at(summary, place).empty()) missing.push_back(place);
    }
  }
  return missing;
}

void run_case() {
  std::ofstream("case.yaml") << "kind: gemm\nmode: timing\n"
                                "machine: {extends: trainium2_ultraserver, torus: {x: 2, y: 1, z: 1}, chip: "
                                "{core: {tensor: {columns: 64}}}}\n"
                                "workload: {m: 256, n: 256, k: 512, shard: {m: 2, n: 1, k: 8}}\n";
  REQUIRE(tahoma_in(".", {"run", "case.yaml", "--out", "out", "--repeat", "2"}).status == 0);
}

}  // namespace

TEST_CASE("columns: every declared one is in a file of a run", "[stats]") {
  run_case();
  std::vector<runtime::DeclaredTable> tables = runtime::declared_tables();
  REQUIRE(runtime::declared_columns().size() > 100);
  // A region lists only the stall reasons that took time; this program knows neither its source nor tokens or
  // steps, and runs alone (tests/system/colocated).
  std::erase_if(tables, [](const auto& table) {
    return table.json.ends_with(".engines.*") || table.csv == "lines.csv" || table.json == "lines.*" ||
           table.json.starts_with("cost.per_") || table.csv == "programs.csv" || table.json == "sharing";
  });
  CHECK(missing_from("out", tables).empty());
  // The check notices a column that no output has.
  tables.front().columns.push_back({"nowhere", "", "count", ""});
  tables.back().columns.push_back({"", "nowhere_either", "count", ""});
  CHECK(missing_from("out", tables) ==
        std::vector<std::string>{tables.front().csv + "/nowhere", tables.back().json + ".nowhere_either"});
}

TEST_CASE("columns: a region that knows every stall reason lists each", "[stats]") {
  runtime::KindTime all;
  all.time.fill({1'000'000});
  const auto object = runtime::columns_json(runtime::region_engine_columns(), all);
  CHECK(object["time_percent"].size() == base::kStallReasons);
  all.time.fill({0});
  CHECK_FALSE(runtime::columns_json(runtime::region_engine_columns(), all).contains("time_percent"));
}

TEST_CASE("columns: tahoma stats explains each with unit and sentence", "[stats]") {
  const json list = json::parse(tahoma_in(".", {"stats", "--format", "json"}).out);
  std::set<std::string> explained;
  for (const json& each : list) {
    CHECK_FALSE(each["description"].get<std::string>().empty());
    explained.insert(each["path"].get<std::string>());
  }
  for (const runtime::ColumnPlace& column : runtime::declared_columns())
    CHECK(explained.contains(column.path));
}

TEST_CASE("columns: CSV and JSON show the same values", "[stats]") {
  struct Row {
    std::uint64_t count;
    double share;
    std::optional<bool> right;
    std::string why;
  };
  const auto columns =
      base::Columns<Row>("rows.csv", "rows.*")
          .column({{"why", "why", "text", "a reason"}, [](const Row& r) { return r.why; }, true})
          .number("count", Unit::kCount, "a count", [](const Row& r) { return r.count; })
          .number("share", "deep.share", Unit::kPercent, "a share", [](const Row& r) { return r.share; })
          .flag("right", "a verdict",
                [](const Row& r) { return r.right ? base::Cell(*r.right) : base::Cell(); });
  const Row row{7, 12.5, true, "say \"when\", then stop"}, unknown{0, 0, std::nullopt, ""};
  runtime::CsvLines lines(columns);
  lines.add(row);
  lines.add(unknown);
  CHECK(lines.text() == "count,share,right,why\n7,12.5,1,\"say \"\"when\"\", then stop\"\n0,0,,\n");
  CHECK(runtime::columns_json(columns, row).dump() ==
        R"({"why":"say \"when\", then stop","count":7,"deep":{"share":12.5},"right":true})");
  CHECK(runtime::columns_json(columns, unknown)["right"].is_null());
}
