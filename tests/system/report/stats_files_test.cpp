// SPDX-License-Identifier: Apache-2.0
// Statistics in four forms from one list, each with an explanation.
#include "report/files/stats_files.h"

#include <catch2/catch.hpp>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <sstream>

#include "model/system/statistics/list_statistics.h"
#include "report/files/statistics_tables.h"
#include "report/store/run_store.h"
#include "runtime/host/tables/database.h"
#include "runtime/host/text/whole_file.h"
#include "tests/support/program/fake_run.h"
#include "tests/support/program/file_of_run.h"
#include "tests/support/subprocess.h"

using namespace tahoma;
using namespace tahoma::tests;
using Catch::Contains;
using nlohmann::json;

namespace {

std::vector<base::Stat> fake_statistics() {
  base::StatSink sink;
  model::list_statistics(fake_dram_run(), sink);
  return sink.stats();
}

// "server0.chip03.core5.dma.bytes" and the like by class.
std::string class_of(const std::string& path) {
  std::string name =
      std::regex_replace(path, std::regex(R"((server|chip|core|cc|hbm|channel|die)\d+)"), "$1*");
  name = std::regex_replace(name, std::regex(R"(\.link(\.|_)[a-z]+)"), ".link.*");
  return std::regex_replace(name, std::regex(R"(die\*_to_die\*)"), "die*_to_die*");
}

// Paths of the declared statistics that one form lacks.
std::vector<std::string> statistics_missing_from(const std::set<std::string>& paths) {
  std::vector<std::string> missing;
  for (const base::Stat& stat : runtime::known_statistics())
    if (!paths.contains(stat.path)) missing.push_back(stat.path);
  return missing;
}

// The first word of every line, up to that character.
std::set<std::string> first_words(const std::string& text, char end) {
  std::set<std::string> words;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) words.insert(line.substr(0, line.find(end)));
  return words;
}

std::set<std::string> paths_in(const json& list) {
  std::set<std::string> paths;
  for (const json& each : list) paths.insert(each["path"].get<std::string>());
  return paths;
}

}  // namespace

TEST_CASE("statistics: every declared one is in every form", "[stats]") {
  const std::vector<base::Stat> all = runtime::known_statistics();
  REQUIRE(all.size() > 100);
  CHECK(statistics_missing_from(paths_in(json::parse(runtime::stats_json(all)))).empty());
  CHECK(statistics_missing_from(first_words(runtime::stats_csv(all), ',')).empty());
  CHECK(statistics_missing_from(first_words(runtime::stats_text(all), ' ')).empty());
  const TempDir folder;
  runtime::write_file(folder / "stats.db", runtime::store_bytes(all, {}));
  std::set<std::string> rows;
  for (const auto& row : runtime::Database(folder / "stats.db", runtime::Database::Access::kRead)
                             .rows("SELECT path FROM statistics"))
    rows.insert(std::get<std::string>(row[0]));
  CHECK(statistics_missing_from(rows).empty());
  const Finished text = tahoma_in(".", {"stats"}), list = tahoma_in(".", {"stats", "--format", "json"});
  CHECK(statistics_missing_from(first_words(text.out, ' ')).empty());
  std::set<std::string> explained = paths_in(json::parse(list.out));
  CHECK(statistics_missing_from(explained).empty());
  // The check notices a statistic that a form omits.
  explained.erase("memory_activations");
  CHECK(statistics_missing_from(explained) == std::vector<std::string>{"memory_activations"});
}

TEST_CASE("statistics: text, JSON, CSV and database have the same content", "[stats]") {
  const std::vector<base::Stat> stats = fake_statistics();
  REQUIRE(stats.size() > 100);
  const json list = json::parse(runtime::stats_json(stats));
  std::istringstream text(runtime::stats_text(stats)), csv(runtime::stats_csv(stats));
  const TempDir folder;
  runtime::write_file(folder / "stats.db", runtime::store_bytes(stats, {}));
  const auto rows = runtime::Database(folder / "stats.db", runtime::Database::Access::kRead)
                        .rows("SELECT path, value, unit, description FROM statistics");
  REQUIRE(list.size() == stats.size());
  REQUIRE(rows.size() == stats.size());
  std::string line;
  std::getline(text, line);
  std::getline(csv, line);
  for (std::size_t n = 0; n < stats.size(); ++n) {
    const double value = list[n]["value"];
    const std::string path = list[n]["path"], unit = list[n]["unit"], doc = list[n]["description"];
    INFO(path);
    CHECK(std::get<std::string>(rows[n][0]) == path);
    const double* real = std::get_if<double>(&rows[n][1]);
    CHECK((real != nullptr ? *real : static_cast<double>(std::get<std::int64_t>(rows[n][1]))) == value);
    CHECK(std::get<std::string>(rows[n][2]) == unit);
    CHECK(std::get<std::string>(rows[n][3]) == doc);
    std::getline(text, line);
    std::istringstream words(line);
    std::string first, second, third;
    words >> first >> second >> third;
    CHECK(first == path);
    CHECK(std::stod(second) == value);
    CHECK(third == unit);
    CHECK_THAT(line, Catch::EndsWith("# " + doc));
    std::getline(csv, line);
    CHECK_THAT(line, Catch::StartsWith(path + ","));
    CHECK_FALSE(doc.empty());
  }
}

TEST_CASE("database: every row is inserted once and in order, for any number of rows per statement",
          "[stats]") {
  const TempDir folder;
  runtime::Database database(folder / "rows.db", runtime::Database::Access::kWrite);
  for (const std::int64_t rows : {0, 1, 15, 16, 17, 32, 50}) {
    const std::string table = "t" + std::to_string(rows);
    database.run("CREATE TABLE " + table + "(number INTEGER, name TEXT)");
    std::int64_t next = 0;
    database.insert(table, 2, [&](runtime::Database::Row& row) {
      if (next == rows) return false;
      row = {next, "row " + std::to_string(next)};
      ++next;
      return true;
    });
    const auto found = database.rows("SELECT number, name FROM " + table);
    REQUIRE(found.size() == static_cast<std::size_t>(rows));
    for (std::int64_t n = 0; n < rows; ++n) {
      CHECK(std::get<std::int64_t>(found[n][0]) == n);
      CHECK(std::get<std::string>(found[n][1]) == "row " + std::to_string(n));
    }
  }
  CHECK_THROWS_WITH(database.insert("t0", 3, [](runtime::Database::Row&) { return true; }), Contains("t0"));
}

TEST_CASE("statistics: every one that a run writes is explained", "[stats]") {
  std::map<std::string, base::Stat> known;
  for (const base::Stat& stat : runtime::known_statistics()) known[stat.path] = stat;
  const auto check = [&](const std::string& path, const std::string& unit, const std::string& doc) {
    INFO(path << " is " << class_of(path));
    const auto entry = known.find(class_of(path));
    REQUIRE(entry != known.end());
    CHECK(base::name_of(entry->second.unit) == unit);
    CHECK(entry->second.doc == doc);
  };
  for (const base::Stat& stat : fake_statistics()) check(stat.path, base::name_of(stat.unit), stat.doc);
  std::ofstream("case.yaml") << "kind: gemm\nmode: timing\n"
                                "machine: {extends: trainium2_ultraserver, torus: {x: 2, y: 1, z: 1}}\n"
                                "workload: {m: 256, n: 256, k: 512, shard: {m: 2, n: 1, k: 8}}\n";
  REQUIRE(tahoma_in(".", {"run", "case.yaml", "--out", "out"}).status == 0);
  for (const json& stat : json::parse(file_of_run("out/stats.json")))
    check(stat["path"], stat["unit"], stat["description"]);
}

TEST_CASE("statistics: tahoma stats explains those that match a pattern", "[stats]") {
  const Finished all = tahoma_in(".", {"stats"}), some = tahoma_in(".", {"stats", "dma.*bytes"}),
                 list = tahoma_in(".", {"stats", "elapsed", "--format", "json"});
  CHECK(all.status == 0);
  CHECK_THAT(all.out, Contains("server*.chip*.core*.tensor.wait_dma [ns, less is better]"));
  CHECK(some.out ==
        "server*.chip*.core*.dma.bytes [B, less is better]\n    payload moved, the larger side of a cast\n"
        "summary.json/dma.bytes [B, less is better]\n    payload moved, the larger side of a cast\n");
  // A stall reason has its name in Neuron Explorer, and what shortens it; the times of other parts have
  // neither.
  CHECK_THAT(all.out, Contains("tensor.wait_dma [ns, less is better]\n"
                               "    waited for a semaphore that a DMA within the chip raised last\n"
                               "    Neuron Explorer: evt_wait_time_ns\n    to shorten it: prefetch"));
  CHECK_THAT(all.out,
             Contains("vector.handover [ns, less is better]\n    the semaphore had its value and the "
                      "waiting instruction had not started\n    Neuron Explorer: no name\n"));
  CHECK_THAT(some.out, !Contains("Neuron Explorer"));
  const json one = json::parse(list.out);
  REQUIRE(one.size() == 1);
  CHECK(one[0]["unit"] == "ns");
  const Finished none = tahoma_in(".", {"stats", "elapsd"});
  CHECK(none.status == 2);
  CHECK_THAT(none.err, Contains("error[E-REP-003]") && Contains("elapsed"));
}
