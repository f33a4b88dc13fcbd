// SPDX-License-Identifier: Apache-2.0
// The folder of a run: how large it may be, what it has on demand, and that commands read it as they read the
// folders of tahoma before it had a store.
#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "report/energy/energy_tables.h"
#include "report/files/collective_report.h"
#include "report/files/statistics_tables.h"
#include "report/files/stats_files.h"
#include "report/files/window_tables.h"
#include "report/links/link_tables.h"
#include "report/memory/channel_table.h"
#include "report/run/run_files.h"
#include "report/simulation/simulation.h"
#include "report/store/run_store.h"
#include "runtime/config/config.h"
#include "tests/support/program/file_of_run.h"
#include "tests/support/subprocess.h"

using namespace tahoma;
using namespace tahoma::tests;
using Catch::Contains;
using nlohmann::json;
namespace fs = std::filesystem;

namespace {

constexpr std::size_t kMostFiles = 8;
constexpr std::uintmax_t kMostBytes = 6'000'000, kMostBytesOfPoint = 1'000'000;

const std::string kMainJob = TAHOMA_SOURCE_DIR "/workloads/gemm/ultraserver.yaml";
constexpr const char* kFourChips = R"(kind: gemm
mode: timing
machine: {extends: trainium2_ultraserver, torus: {x: 2, y: 2, z: 1}}
workload: {m: 512, n: 512, k: 4096, dtype: bf16, shard: {m: 2, n: 2, k: 8}}
)";

std::uintmax_t bytes_in(const fs::path& folder) {
  std::uintmax_t bytes = 0;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    if (entry.is_regular_file()) bytes += entry.file_size();
  return bytes;
}

void check_run(const TempDir& dir, std::vector<std::string> words) {
  words.insert(words.begin(), "run");
  const Finished run = tahoma_in(dir.path(), words);
  INFO(run.err);
  REQUIRE(run.status == 0);
}

Finished check_done(const TempDir& dir, const std::vector<std::string>& words) {
  Finished done = tahoma_in(dir.path(), words);
  INFO(done.err);
  REQUIRE(done.status == 0);
  return done;
}

void check_folder_refused(const TempDir& dir, const std::vector<std::string>& words,
                          const std::string& code) {
  const Finished refused = tahoma_in(dir.path(), words);
  INFO(refused.err);
  CHECK(refused.status == 2);
  CHECK(refused.out.empty());
  CHECK_THAT(refused.err, Contains("error[" + code + "]"));
}

// Makes a folder as tahoma left it before it had a store: all files, and statistics only in the database.
void make_older(const TempDir& dir, const std::string& run, const std::string& older) {
  check_done(dir, {"export", run, "--to", older});
  for (const char* name : {"summary.txt", "summary.json", "config.resolved.yaml", "report.html"})
    fs::copy(dir.path() / run / name, dir.path() / older / name);
  runtime::Database database;
  database.run("CREATE TABLE stats(path TEXT, value NUMERIC, kind INTEGER)");
  dir.write(older + "/stats.db", database.bytes());
  dir.write(older + "/manifest.json", R"({"program": "tahoma run", "files": []})");
}

}  // namespace

TEST_CASE("folder: the main job has at most 8 files and 6 MB, and at most 1 MB with --slim", "[outputs]") {
  const TempDir dir;
  check_run(dir, {kMainJob, "--mode", "timing", "--out", "full"});
  CHECK(entries(dir / "full") <= kMostFiles);
  CHECK(bytes_in(dir / "full") <= kMostBytes);
  check_run(dir, {kMainJob, "--mode", "timing", "--slim", "--out", "slim"});
  CHECK(entries(dir / "slim") <= kMostFiles);
  CHECK(bytes_in(dir / "slim") <= kMostBytesOfPoint);
  check_done(
      dir, {"sweep", kMainJob, "--mode", "timing", "--sweep", "machine.chip.hbm.stacks=4", "--out", "sweep"});
  for (const auto& point : fs::directory_iterator(dir.path() / "sweep/points")) {
    CHECK(bytes_in(point.path()) <= kMostBytesOfPoint);
    CHECK_FALSE(fs::exists(point.path() / "out/report.html"));
    CHECK(runtime::RunStore(point.path() / "out").statistics().size() > 100'000);
  }
}

TEST_CASE("folder: of the files that no option requests, at most 8 are in it", "[outputs]") {
  const runtime::RunOptions plain;
  const auto files = runtime::run_files();
  CHECK(std::count_if(files.begin(), files.end(), [&](const runtime::RunFile& file) {
          return file.place == runtime::RunFilePlace::kFolder && file.wanted(plain);
        }) <= static_cast<std::ptrdiff_t>(kMostFiles));
}

TEST_CASE("folder: every file on demand is the rendering of what the run measured", "[outputs]") {
  const TempDir dir;
  const std::string file = dir.write("case.yaml", kFourChips);
  check_run(dir, {"case.yaml", "--out", "out"});
  const auto config = runtime::resolve_config({file, "", {}, "", ""});
  runtime::SimulationOptions options;
  options.over_time = true;
  const runtime::Simulated run = runtime::simulate(*config, options, nullptr);
  const runtime::RunStore store(dir.path() / "out");
  const std::vector<std::pair<std::string, std::string>> renderings{
      {"stats.json", runtime::stats_json(run.stats.stats())},
      {"stats.csv", runtime::stats_csv(run.stats.stats())},
      {"stats.txt", runtime::stats_text(run.stats.stats())},
      {"links.csv", runtime::links_csv(run.measurement)},
      {"links_windows.csv", runtime::links_windows_csv(run.measurement)},
      {"traffic.csv", runtime::traffic_csv(config->machine, run.measurement)},
      {"hbm.csv", runtime::hbm_csv(run.measurement)},
      {"hbm_windows.csv", runtime::hbm_windows_csv(run.measurement)},
      {"collectives.csv", runtime::collectives_csv(run.collectives)},
      {"energy.csv", runtime::energy_csv(run.energy)},
      {"energy_regions.csv", runtime::energy_regions_csv(run.energy)},
      {"engines.csv", runtime::engines_csv(run.measurement, run.engines)},
      {"occupancy.csv", runtime::occupancy_csv(run.occupancy)}};
  for (const auto& [name, expected] : renderings) {
    INFO(name);
    CHECK(expected.size() > 20);
    CHECK(file_of_run(dir / ("out/" + name)) == expected);
  }
}

TEST_CASE("folder: export writes the names that it is asked for, and all names otherwise", "[outputs]") {
  const TempDir dir;
  dir.write("case.yaml", kFourChips);
  check_run(dir, {"case.yaml", "--out", "out"});
  const std::vector<std::string> names = runtime::exported_names(runtime::RunStore(dir.path() / "out"));
  // A run of a program without source lines has no lines.csv, one of a single program no programs.csv; every
  // other row that is not in the folder is there.
  std::set<std::string> expected;
  for (const runtime::RunFile& file : runtime::run_files())
    if (file.place != runtime::RunFilePlace::kFolder && std::string(file.name) != "lines.csv" &&
        std::string(file.name) != "programs.csv")
      expected.insert(file.name);
  CHECK(std::set<std::string>(names.begin(), names.end()) == expected);
  check_done(dir, {"export", "out", "--to", "all"});
  CHECK(entries(dir / "all") == names.size());
  const Finished some = check_done(dir, {"export", "out", "links*.csv", "stats.json", "--to", "a/b"});
  CHECK(some.out == "a/b/links.csv\na/b/links_windows.csv\na/b/stats.json\n");
  CHECK(entries(dir / "a/b") == 3);
  for (const char* name : {"links.csv", "stats.json", "report.json"})
    CHECK(file_of_run(dir / (std::string("out/") + name)) == contents(dir / (std::string("all/") + name)));
  // Files that were exported to the folder itself belong to it: the next run replaces them.
  check_done(dir, {"export", "out"});
  CHECK(contents(dir / "out/stats.csv") == contents(dir / "all/stats.csv"));
  check_run(dir, {"case.yaml", "--out", "out"});
  CHECK_FALSE(fs::exists(dir / "out/stats.csv"));
}

TEST_CASE("folder: export and stats refuse what is no run or has no such file", "[outputs][bad-input]") {
  const TempDir dir;
  dir.write("case.yaml",
            "kind: gemm\nmode: timing\nmachine: trainium2_one_chip\nworkload: {m: 128, n: 128, k: 128}\n");
  check_run(dir, {"case.yaml", "--out", "out", "--slim"});
  check_folder_refused(dir, {"export", "out", "link.csv"}, "E-REP-007");
  check_folder_refused(dir, {"export", "out", "report.json"}, "E-REP-007");
  check_folder_refused(dir, {"export", "nowhere"}, "E-REP-006");
  check_folder_refused(dir, {"export", "out", "--to", "case.yaml"}, "E-OUT-001");
  check_folder_refused(dir, {"stats", "./nowhere"}, "E-REP-006");
  check_folder_refused(dir, {"stats", "out", "tensr.busy"}, "E-REP-003");
  const std::string whole = contents(dir / "out/stats.db");
  dir.write("out/stats.db", whole.substr(0, whole.size() / 2));
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"export", "out"}, {"stats", "out"}, {"compare", "out", "out"}})
    check_folder_refused(dir, words, "E-REP-004");
}

TEST_CASE("folder: tahoma stats prints what stats.txt, stats.json and stats.csv contain", "[outputs]") {
  const TempDir dir;
  dir.write("case.yaml", kFourChips);
  check_run(dir, {"case.yaml", "--out", "out"});
  for (const auto& [format, name] :
       {std::pair("text", "stats.txt"), {"json", "stats.json"}, {"csv", "stats.csv"}})
    CHECK(check_done(dir, {"stats", "out", "--format", format}).out ==
          file_of_run(dir / (std::string("out/") + name)));
  const json some =
      json::parse(check_done(dir, {"stats", "out", "chip01.core*.tensor.busy", "--format", "json"}).out);
  CHECK(some.size() == 8);
  for (const json& stat : some) CHECK_THAT(stat["path"].get<std::string>(), Contains("chip01.core"));
}

TEST_CASE("folder: every command that reads one reads those from before the store", "[outputs]") {
  const TempDir dir;
  dir.write("case.yaml", kFourChips);
  check_run(dir, {"case.yaml", "--out", "new"});
  check_run(dir, {"case.yaml", "--out", "other", "--set", "machine.chip.core.tensor.clock=1.2 GHz"});
  make_older(dir, "new", "old");
  const std::string same = check_done(dir, {"compare", "old", "new"}).out;
  CHECK_THAT(same, Contains("A and B are equal"));
  const json before = json::parse(check_done(dir, {"compare", "old", "other", "--format", "json"}).out),
             now = json::parse(check_done(dir, {"compare", "new", "other", "--format", "json"}).out);
  CHECK(before["groups"] == now["groups"]);
  CHECK(before["groups"].size() > 1);
  for (const char* format : {"text", "json", "csv"})
    CHECK(check_done(dir, {"stats", "old", "--format", format}).out ==
          check_done(dir, {"stats", "new", "--format", format}).out);
  CHECK(check_done(dir, {"export", "old", "stats.txt", "links.csv", "report.json", "--to", "-"}).out ==
        check_done(dir, {"export", "new", "stats.txt", "links.csv", "report.json", "--to", "-"}).out);
  const std::string page = contents(dir / "new/report.html");
  for (const char* folder : {"old", "new"}) {
    fs::remove(dir.path() / folder / "report.html");
    check_done(dir, {"report", folder});
    CHECK(contents(dir.path() / folder / "report.html") == page);
  }
  CHECK(json::parse(check_done(dir, {"explain", "old", "--format", "json"}).out)["resources"] ==
        json::parse(check_done(dir, {"explain", "new", "--format", "json"}).out)["resources"]);
  // An older folder is replaced by a run if its manifest lists its files.
  CHECK_THAT(tahoma_in(dir.path(), {"run", "case.yaml", "--out", "old"}).err, Contains("E-OUT-002"));
}
