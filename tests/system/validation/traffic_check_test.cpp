// SPDX-License-Identifier: Apache-2.0
// Memory traffic on the page of `tahoma check`: its tables, their errors, and the comparison with established
// DRAM simulators.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "studies/validation/accuracy/suite.h"
#include "studies/validation/accuracy/tables/traffic_table.h"
#include "tests/support/program/figure_tables.h"
#include "tests/support/program/refusal_of.h"
#include "tests/support/subprocess.h"
#include "tests/support/temp_dir.h"

using namespace tahoma;
using namespace tahoma::tests;
using Catch::Contains;
using nlohmann::json;
using runtime::parse_traffic;

namespace {

constexpr const char* kTrafficColumns =
    "id,what,machine,pattern,stride,request,read_fraction,block,requests,reference,source\n";
const std::string kTrafficFolder = std::string(TAHOMA_SOURCE_DIR) + "/workloads/micro/hbm/";

// Rows of one bank of the reference channel: an access per tRC of 45 ns, 1.389 % of 51.2 GB/s.
std::string one_bank(const std::string& id, const std::string& reference) {
  return id + ",rows of a bank," + kTrafficFolder +
         "channel_8gb_robaracoch.yaml,stride,64 KiB,32 B,1,1,1000," + reference + ",tRC\n";
}

std::string traffic_suite(const std::string& more = "") {
  return "accuracy:\n  title: Traffic\n  families:\n    one:\n      doc: some traffic\n      traffic: "
         "t.csv\n" +
         more;
}

Finished check(const TempDir& dir, const std::string& lines, const std::vector<std::string>& more = {},
               const std::string& keys = "      limits: {worst: 2 %}\n") {
  dir.write("t.csv", kTrafficColumns + lines);
  dir.write("checks.yaml", traffic_suite(keys));
  std::vector<std::string> words{"check", "checks.yaml", "--format", "json"};
  words.insert(words.end(), more.begin(), more.end());
  return tahoma_in(dir.path(), words);
}

json traffic_figure_of(const Finished& finished, std::size_t index) {
  INFO(finished.err);
  return json::parse(finished.out)["families"][0]["figures"][index];
}

std::string table_refusal(const std::string& text) {
  return refusal_of([&] { parse_traffic({"t.csv", text}); });
}

void check_traffic_refused(const std::string& row, const std::string& code_and_place,
                           const std::string& hint) {
  INFO(row);
  const std::string said = table_refusal(kTrafficColumns + row + "\n");
  CHECK_THAT(said, Contains(code_and_place) && Contains(hint));
}

}  // namespace

TEST_CASE("traffic table: a row is read unchanged", "[accuracy]") {
  const auto figures =
      parse_traffic({"t.csv", std::string(kTrafficColumns) +
                                  "a,what a is,m.yaml,stride,4 KiB,64 B,0.25,1,1000,0.9152,Sim 1\n"
                                  "b,what b is,m.yaml,random,,32 B,0.5,64,9,1,Sim 2\n"});
  REQUIRE(figures.size() == 2);
  const model::MemoryTraffic& a = *figures[0].traffic;
  CHECK(a.pattern == model::TrafficPattern::kStride);
  CHECK(a.step().count == 4096);
  CHECK(a.request.count == 64);
  CHECK(a.read_fraction == 0.25);
  CHECK(a.requests == 1000);
  CHECK(figures[0].case_name == "m.yaml");
  CHECK(figures[0].reference == Approx(91.52));
  CHECK(std::string(name_of(figures[0].unit)) == "% of peak");
  CHECK(figures[0].use == runtime::FigureUse::kCheck);
  CHECK(figures[1].traffic->block == 64);
  CHECK(figures[1].traffic->step().count == 32);
}

TEST_CASE("traffic table: bad fields are refused at line and column", "[accuracy][bad-input]") {
  check_traffic_refused("a,w,m,seqential,,32 B,1,1,9,1,s", "t.csv:2:7: error[E-ACC-005]",
                        "did you mean 'sequential'?");
  check_traffic_refused("a,w,m,stride,,32 B,1,1,9,1,s", "t.csv:2:14: error[E-ACC-004]", "'stride' is empty");
  check_traffic_refused("a,w,m,stride,64,32 B,1,1,9,1,s", "t.csv:2:14: error[E-ACC-004]", "such as '4 KiB'");
  check_traffic_refused("a,w,m,random,64 B,32 B,1,1,9,1,s", "t.csv:2:14: error[E-ACC-015]",
                        "expected nothing");
  check_traffic_refused("a,w,m,random,,0 B,1,1,9,1,s", "t.csv:2:15: error[E-ACC-004]", "such as '4 KiB'");
  check_traffic_refused("a,w,m,random,,32 B,1.5,1,9,1,s", "t.csv:2:20: error[E-ACC-004]",
                        "share from 0 to 1");
  check_traffic_refused("a,w,m,random,,32 B,0.9,8,9,1,s", "t.csv:2:20: error[E-ACC-015]",
                        "turns of equal length");
  check_traffic_refused("a,w,m,random,,32 B,1,0,9,1,s", "t.csv:2:22: error[E-ACC-004]", "at least 1");
  check_traffic_refused("a,w,m,random,,32 B,1,1,999999999,1,s", "t.csv:2:24: error[E-ACC-015]",
                        "at most 100000000");
  check_traffic_refused("a,w,m,random,,32 B,1,1,9,1.1,s", "t.csv:2:26: error[E-ACC-015]",
                        "share of the peak");
  check_traffic_refused("a,w,m,random,,32 B,1,1,9,1,s\na,w,m,random,,32 B,1,1,9,1,s",
                        "t.csv:3:1: error[E-ACC-006]", "appears twice");
  CHECK_THAT(table_refusal("id,what,machine,patern\n"), Contains("E-ACC-003") && Contains("'pattern'?"));
}

TEST_CASE("traffic check: a true figure is within its limit, a false one gives exit status 1",
          "[accuracy][cli][must-fail]") {
  const TempDir dir;
  CHECK(check(dir, one_bank("good", "0.01389"), {"--set", "machine.chip.hbm.dram.refresh=none"}).status == 0);
  const Finished wrong = check(dir, one_bank("good", "0.01389") + one_bank("wrong", "0.02"),
                               {"--set", "machine.chip.hbm.dram.refresh=none", "--junit", "j.xml"});
  CHECK(wrong.status == 1);
  CHECK(traffic_figure_of(wrong, 0)["within_limit"] == true);
  CHECK(traffic_figure_of(wrong, 1)["within_limit"] == false);
  CHECK(traffic_figure_of(wrong, 1)["error_percent"].get<double>() == Approx(-30.6).epsilon(0.02));
  CHECK_THAT(contents(dir / "j.xml"), Contains("failures=\"1\""));
}

TEST_CASE("traffic check: a row has its request and its accesses", "[accuracy][cli]") {
  const TempDir dir;
  const json figure = traffic_figure_of(check(dir, one_bank("one", "0.0139"), {}, ""), 0);
  INFO(figure.dump());
  CHECK(figure["reference"].get<double>() == Approx(1.39));
  CHECK(figure["traffic"]["stride_bytes"] == 65536);
  CHECK(figure["traffic"]["pattern"] == "stride");
  CHECK(figure["gigabytes_per_second"].get<double>() == Approx(figure["model"].get<double>() * 0.512));
  CHECK(figure["row_hit_percent"] == 0);
  CHECK(figure["lost_refresh_percent"].get<double>() > 0);
  CHECK(figure["read_p99_ns"].get<double>() >= figure["read_mean_ns"].get<double>());
  CHECK_FALSE(figure.contains("silicon"));
}

TEST_CASE("traffic check: the error of a machine is the row's reason", "[accuracy][cli][must-fail]") {
  const TempDir dir;
  const Finished flat = check(dir, one_bank("one", "0.0139"), {"--set", "machine.chip.hbm.model=flat"});
  CHECK(flat.status == 2);
  CHECK_THAT(traffic_figure_of(flat, 0)["failure"].get<std::string>(),
             Contains("t.csv:2:20: error[E-ACC-016]"));
  const Finished large = check(dir, "a,w," + kTrafficFolder + "channel_8gb.yaml,random,,1 GiB,1,1,9,1,s\n" +
                                        one_bank("one", "0.0139"));
  CHECK(large.status == 2);
  CHECK_THAT(traffic_figure_of(large, 0)["failure"].get<std::string>(), Contains("E-ACC-015"));
  CHECK(traffic_figure_of(large, 1)["failure"].is_null());
}

TEST_CASE("traffic check: a family has one kind of table, and a row a machine", "[accuracy][bad-input]") {
  const TempDir dir;
  dir.write("t.csv", kTrafficColumns + one_bank("one", "0.0139"));
  const auto refusal = [&](const std::string& suite) {
    const std::string file = dir.write("checks.yaml", suite);
    return refusal_of([&] { runtime::load_suite(file); });
  };
  CHECK_THAT(refusal(traffic_suite("      table: t.csv\n")), Contains("checks.yaml:7:14: error[E-ACC-017]"));
  CHECK_THAT(refusal(traffic_suite("      phases: 4\n")), Contains("checks.yaml:7:15: error[E-ACC-017]"));
  CHECK_THAT(refusal(traffic_suite("    two: {doc: d, table: lanes.csv}\n")), Contains("E-RUN-001"));
  dir.write("lanes.csv", kFigureColumns + figure_line("two", "c.yaml", "time", "1"));
  CHECK_THAT(refusal(traffic_suite("    two: {doc: d, table: lanes.csv}\n")),
             Contains("E-ACC-013") && Contains("'accuracy.machine'"));
  dir.write("t.csv", kTrafficColumns + std::string("a,w,trainium2_one_chp,random,,32 B,1,1,9,1,s\n"));
  CHECK_THAT(refusal(traffic_suite()),
             Contains("t.csv:2:5: error[E-CFG-021]") && Contains("did you mean 'trainium2_one_chip'?"));
}

TEST_CASE("traffic check: one at a time or several give the same bytes", "[accuracy][cli]") {
  const TempDir dir;
  const std::string lines = one_bank("one", "0.0139") + one_bank("two", "0.0139");
  CHECK(check(dir, lines, {"--jobs", "1"}).out == check(dir, lines, {"--jobs", "3"}).out);
}

TEST_CASE("memory compared with simulators: the reference's limits hold in all rows", "[accuracy][hbm]") {
  const Finished finished =
      tahoma_in(TAHOMA_SOURCE_DIR, {"check", kTrafficFolder + "bandwidth.yaml", "--format", "json",
                                    "--family", "ramulator_streams", "--family", "ramulator_mixes"});
  const json page = json::parse(finished.out);
  std::size_t rows = 0;
  for (const json& family : page["families"]) {
    CHECK(family["limits"]["worst_percent"] == (family["name"] == "ramulator_streams" ? 5 : 7));
    for (const json& figure : family["figures"]) {
      INFO(figure.dump());
      CHECK(figure["within_limit"] == true);
      ++rows;
    }
  }
  CHECK(rows == 29);
}
