// SPDX-License-Identifier: Apache-2.0
// Collectives on the page of `tahoma check`: their tables, and errors in them.
#include <catch2/catch.hpp>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "runtime/config/config_files.h"
#include "studies/validation/accuracy/suite.h"
#include "studies/validation/accuracy/tables/collective_table.h"
#include "tests/support/program/refusal_of.h"
#include "tests/support/subprocess.h"
#include "tests/support/temp_dir.h"

using namespace tahoma;
using namespace tahoma::tests;
using namespace tahoma::base::literals;
using Catch::Contains;
using nlohmann::json;
using runtime::parse_collectives;

namespace {

constexpr const char* kColumns = "id,what,case,set,launch,reference,use,source\n";
const std::string kFolder = std::string(TAHOMA_SOURCE_DIR) + "/workloads/micro/network/";

std::string suite_of(const std::string& more = "") {
  return "accuracy:\n  title: Collectives\n  families:\n    chip:\n      doc: some collectives\n      "
         "collectives: c.csv\n" +
         more;
}

std::vector<runtime::Figure> table(const std::string& name) {
  return parse_collectives(runtime::read_config_text(kFolder + name));
}

void check_row_refused(const std::string& row, const std::string& code_and_place, const std::string& hint) {
  INFO(row);
  CHECK_THAT(refusal_of([&] {
               parse_collectives({"c.csv", kColumns + row + "\n"});
             }),
             Contains(code_and_place) && Contains(hint));
}

}  // namespace

TEST_CASE("collective table: a row is read unchanged", "[accuracy]") {
  const auto figures = parse_collectives(
      {"cases/c.csv", std::string(kColumns) + "a,what a is,sub/a.yaml,workload.bytes=4 KiB; "
                                              "machine.chip.lnc=2,12.5 us,99.1,calibration,Silicon 1\n"
                                              "b,what b is,b.yaml,,0 us,3,check,Silicon 2\n"});
  REQUIRE(figures.size() == 2);
  CHECK(figures[0].case_path == "cases/sub/a.yaml");
  CHECK(figures[0].collective->set == std::vector<std::string>{"workload.bytes=4 KiB", "machine.chip.lnc=2"});
  CHECK(figures[0].collective->launch == 12.5_us);
  CHECK(figures[0].reference == 99.1);
  CHECK(figures[0].use == runtime::FigureUse::kCalibration);
  CHECK(std::string(name_of(figures[0].unit)) == "us");
  CHECK(figures[1].collective->set.empty());
  CHECK(figures[1].collective->launch == 0_us);
}

TEST_CASE("collective table: bad fields are refused at line and column", "[accuracy][bad-input]") {
  check_row_refused("a,w,m,,12,1,check,s", "c.csv:2:8: error[E-ACC-004]", "such as '0 us'");
  check_row_refused("a,w,m,,,1,check,s", "c.csv:2:8: error[E-ACC-004]", "'launch' is empty");
  check_row_refused("a,w,m,,1 us,0,check,s", "c.csv:2:13: error[E-ACC-004]", "above 0");
  check_row_refused("a,w,m,,1 us,1,chek,s", "c.csv:2:15: error[E-ACC-005]", "did you mean 'check'?");
  check_row_refused("a,w,m,,1 us,1,check,s\na,w,m,,1 us,1,check,s", "c.csv:3:1: error[E-ACC-006]",
                    "appears twice");
}

TEST_CASE(
    "collective table: calibration is the smallest size of each path, and where auto changes its algorithm",
    "[accuracy]") {
  const std::set<std::string> around_the_change{"all_reduce_8mib", "all_reduce_16mib"};
  std::map<std::string, double> launch;
  std::size_t calibrated = 0;
  for (const runtime::Figure& figure : table("collectives.csv")) {
    CAPTURE(figure.id);
    const bool first = launch.try_emplace(figure.source, figure.collective->launch.ns()).second;
    const bool derived_from = first || around_the_change.count(figure.id) > 0;
    CHECK((figure.use == runtime::FigureUse::kCalibration) == derived_from);
    CHECK(launch[figure.source] == figure.collective->launch.ns());
    CHECK(figure.collective->launch.ns() < 1000 * figure.reference);
    calibrated += first ? 1 : 0;
  }
  CHECK(calibrated == 2);
  CHECK(table("collectives.csv").size() == 16);
}

TEST_CASE("collective table: nothing of ours was derived from the analytical model", "[accuracy]") {
  for (const runtime::Figure& figure : table("analytical.csv")) {
    CHECK(figure.use == runtime::FigureUse::kCheck);
    CHECK(figure.collective->launch == 0_us);
  }
}

TEST_CASE("collective check: a case that runs none is a row with its reason and exit status 1",
          "[accuracy][cli]") {
  const TempDir dir;
  dir.write("none.yaml",
            "kind: vector_add\nmachine: trainium2_one_chip\nworkload: {elements: 128000, cores: 1}\n");
  dir.write("c.csv", std::string(kColumns) + "none,no collective,none.yaml,,1 us,5,check,nobody\n");
  dir.write("checks.yaml", suite_of());
  const Finished finished = tahoma_in(dir.path(), {"check", "checks.yaml", "--format", "json"});
  INFO(finished.err << finished.out);
  CHECK(finished.status == 1);
  const json figure = json::parse(finished.out)["families"][0]["figures"][0];
  CHECK_THAT(figure["failure"].get<std::string>(), Contains("E-ACC-012") && Contains("c.csv:2:20"));
  CHECK(figure["reference"] == 5.0);
  CHECK(figure["unit"] == "us");
  CHECK(figure["model"].is_null());
}

TEST_CASE("collective check: a family has one kind of table, and phases only with probes",
          "[accuracy][bad-input]") {
  const TempDir dir;
  dir.write("c.csv", std::string(kColumns) + "a,w,m.yaml,,1 us,5,check,s\n");
  const auto refusal = [&](const std::string& more) {
    const std::string file = dir.write("checks.yaml", suite_of(more));
    return refusal_of([&] { runtime::load_suite(file); });
  };
  CHECK(refusal("") == "accepted");
  CHECK_THAT(refusal("      traffic: c.csv\n"), Contains("E-ACC-017") && Contains("collectives"));
  CHECK_THAT(refusal("      table: c.csv\n"), Contains("E-ACC-017"));
  CHECK_THAT(refusal("      phases: 4\n"), Contains("checks.yaml:7:15: error[E-ACC-017]"));
}
