// SPDX-License-Identifier: Apache-2.0
// Traffic through the fabric on the page of `tahoma check`: its table, and errors in it.
#include <catch2/catch.hpp>
#include <map>
#include <set>
#include <tuple>

#include "runtime/config/config_files.h"
#include "studies/validation/accuracy/suite.h"
#include "studies/validation/accuracy/tables/fabric_table.h"
#include "tests/support/program/refusal_of.h"

using namespace tahoma;
using namespace tahoma::tests;
using Catch::Contains;
using runtime::parse_fabric;

namespace {

constexpr const char* kColumns = "id,what,machine,pattern,flits,injection,reference,use,source,quantity\n";
const std::string kFolder = std::string(TAHOMA_SOURCE_DIR) + "/workloads/micro/network/";

void check_row_refused(const std::string& row, const std::string& code_and_place, const std::string& hint) {
  INFO(row);
  CHECK_THAT(refusal_of([&] {
               parse_fabric({"f.csv", kColumns + row + "\n"});
             }),
             Contains(code_and_place) && Contains(hint));
}

}  // namespace

TEST_CASE("fabric table: a row is read unchanged", "[accuracy]") {
  const auto figures = parse_fabric(
      {"f.csv", std::string(kColumns) + "a,what a is,m.yaml,bitcomp,8,0.25,32.18,check,Sim,latency\n"});
  REQUIRE(figures.size() == 1);
  CHECK(figures[0].fabric->pattern == model::FabricPattern::kBitcomp);
  CHECK(figures[0].fabric->flits == 8);
  CHECK(figures[0].fabric->injection == 0.25);
  CHECK(figures[0].reference == 32.18);
  CHECK(std::string(name_of(figures[0].unit)) == "cycles");
  CHECK(figures[0].case_name == "m.yaml");
}

TEST_CASE("fabric table: an accepted load is compared in percent of the rate between router and chip",
          "[accuracy]") {
  const auto figures = parse_fabric(
      {"f.csv", std::string(kColumns) + "a,what,m.yaml,bitcomp,1,0.8,0.6667,check,Sim,accepted\n"});
  CHECK(figures.at(0).reference == Approx(66.67));
  CHECK(std::string(name_of(figures[0].unit)) == "% of peak");
}

TEST_CASE("fabric table: bad fields are refused at line and column", "[accuracy][bad-input]") {
  check_row_refused("a,w,m,unifrom,1,0.1,9,check,s,latency", "f.csv:2:7: error[E-ACC-005]",
                    "did you mean 'uniform'?");
  check_row_refused("a,w,m,uniform,0,0.1,9,check,s,latency", "f.csv:2:15: error[E-ACC-004]", "at least 1");
  check_row_refused("a,w,m,uniform,1,1.5,9,check,s,latency", "f.csv:2:17: error[E-ACC-015]", "at most 1");
  check_row_refused("a,w,m,uniform,1,0,9,check,s,latency", "f.csv:2:17: error[E-ACC-004]", "above 0");
  check_row_refused("a,w,m,uniform,1,0.1,9,check,s,latencies", "f.csv:2:31: error[E-ACC-005]",
                    "did you mean 'latency'?");
  check_row_refused("a,w,m,uniform,1,0.1,1.5,check,s,accepted", "f.csv:2:21: error[E-ACC-015]", "at most 1");
  check_row_refused("a,w,m,uniform,1,0.1,9,chek,s,latency", "f.csv:2:23: error[E-ACC-005]", "'check'");
  check_row_refused("a,w,m,uniform,1,0.1,9,check,s,latency\na,w,m,uniform,1,0.1,9,check,s,latency",
                    "f.csv:3:1: error[E-ACC-006]", "appears twice");
}

TEST_CASE("fabric table: delays were fit to the lowest load of a pattern and length alone", "[accuracy]") {
  std::set<std::pair<model::FabricPattern, std::uint64_t>> seen;
  const auto figures = parse_fabric(runtime::read_config_text(kFolder + "flit.csv"));
  CHECK(figures.size() == 3 * 2 * 6);
  for (const runtime::Figure& figure : figures) {
    CAPTURE(figure.id);
    const bool first = seen.emplace(figure.fabric->pattern, figure.fabric->flits).second;
    CHECK((figure.use == runtime::FigureUse::kCalibration) == first);
    CHECK((figure.fabric->injection == 0.05) == first);
    CHECK(figure.fabric->injection <= 0.5);
  }
}

TEST_CASE("fabric table: the loads above half are those that the flit-level simulator accepts",
          "[accuracy]") {
  const auto figures = parse_fabric(runtime::read_config_text(kFolder + "flit_loaded.csv"));
  for (const runtime::Figure& figure : figures) {
    CAPTURE(figure.id);
    const model::FabricTraffic& traffic = *figure.fabric;
    CHECK(figure.use == runtime::FigureUse::kCheck);
    CHECK(traffic.injection > 0.5);
    // Two virtual channels of a class, each of which takes a single-flit packet in three cycles.
    const bool one_class = traffic.pattern != model::FabricPattern::kUniform;
    CHECK(traffic.injection < (one_class && traffic.flits == 1 ? 2.0 / 3 : 1));
  }
}

TEST_CASE("fabric check: every family of the network's page up to half load has a limit of 15 percent",
          "[accuracy]") {
  const runtime::Suite suite = runtime::load_suite(kFolder + "network.yaml");
  std::size_t limited = 0;
  for (const runtime::Family& family : suite.families) {
    CAPTURE(family.name);
    CHECK(family.kind == runtime::FigureKind::kFabric);
    const bool above_half = family.name == "above_half_load" || family.name == "near_saturation";
    CHECK(family.limits.worst.has_value() != above_half);
    if (above_half || family.name == "allocated" || family.name == "saturated") continue;
    CHECK(*family.limits.worst == 15);
    limited += family.figures.size();
  }
  CHECK(limited == 36);
  CHECK(suite.machine.empty());
}

TEST_CASE(
    "fabric check: routers that allocate in every cycle have a limit of 10 percent, at all accepted loads",
    "[accuracy]") {
  const runtime::Suite suite =
      runtime::load_suite(kFolder + "network.yaml", {"allocated", "near_saturation"});
  CHECK(*suite.families.at(0).limits.worst == 10);
  CHECK(suite.families.at(1).figures.size() == 1);  // beyond nine tenths of what is accepted
  std::map<std::tuple<model::FabricPattern, std::uint64_t, double>, double> references;
  for (const char* table : {"flit.csv", "flit_loaded.csv"})
    for (const runtime::Figure& f : parse_fabric(runtime::read_config_text(kFolder + table)))
      references[{f.fabric->pattern, f.fabric->flits, f.fabric->injection}] = f.reference;
  std::size_t calibrations = 0;
  std::size_t figures = 0;
  for (const runtime::Family& family : suite.families)
    for (const runtime::Figure& f : family.figures) {
      CAPTURE(f.id);
      ++figures;
      CHECK(references.at({f.fabric->pattern, f.fabric->flits, f.fabric->injection}) == f.reference);
      calibrations += f.use == runtime::FigureUse::kCalibration ? 1 : 0;
    }
  CHECK(calibrations == 1);
  CHECK(figures == references.size());
}
