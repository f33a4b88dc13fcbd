// SPDX-License-Identifier: Apache-2.0
// Statistics of errors compared with their definitions, and the verdicts and files of a page.
#include <catch2/catch.hpp>
#include <cmath>
#include <nlohmann/json.hpp>

#include "studies/validation/accuracy/accuracy_page_files.h"
#include "studies/validation/accuracy/accuracy_page_text.h"
#include "studies/validation/accuracy/error_statistics.h"
#include "studies/validation/accuracy/figure_intervals.h"
#include "studies/validation/accuracy/law_error.h"
#include "tests/support/program/figure_tables.h"

using namespace tahoma;
using namespace tahoma::runtime;
using base::ExitStatus;
using Catch::Contains;
using nlohmann::json;

namespace {

PageRow row(const std::string& id, double silicon, double model, FigureUse use = FigureUse::kCheck) {
  return {tests::figure(id, silicon, use), {model, "", ExitStatus::kOk, {}}, std::nullopt, 0, false};
}

PageRow failed(const std::string& id, const std::string& reason, ExitStatus status) {
  return {tests::figure(id, 1, FigureUse::kCheck), {0, reason, status, {}}, std::nullopt, 0, false};
}

Family family(const std::string& name, Limits limits) {
  return {name, "a family", name + ".csv", runtime::FigureKind::kProbe, limits, 0, {}};
}

Page page_of(Limits limits, const std::vector<PageRow>& rows) {
  return make_page({"checks.yaml", "T", "trainium2_one_chip", "m.yaml", {}}, {},
                   {judge(family("f", limits), rows)});
}

// Errors of +1, -3 and +2 percent.
std::vector<PageRow> three() {
  return {row("a", 100, 101, FigureUse::kCalibration), row("b", 200, 194), row("c", 300, 306)};
}

}  // namespace

TEST_CASE("accuracy statistics: errors are percent of silicon, and their mean is of their sizes",
          "[accuracy]") {
  CHECK(error_percent(102, 100) == Approx(2));
  CHECK(error_percent(50, 100) == Approx(-50));
  CHECK(mean_absolute(std::vector{1.0, -3.0, 2.0}) == Approx(2));
}

TEST_CASE("accuracy statistics: equal values share the mean of their ranks", "[accuracy]") {
  CHECK(ranks(std::vector{10.0, 30.0, 20.0, 20.0}) == std::vector{1.0, 4.0, 2.5, 2.5});
  CHECK(ranks(std::vector{5.0, 5.0, 5.0}) == std::vector{2.0, 2.0, 2.0});
}

TEST_CASE("accuracy statistics: rank correlation by hand, with and without ties", "[accuracy]") {
  // Without ties 1 - 6 sum(d^2) / (n (n^2 - 1)): here sum(d^2) = 4, n = 5.
  CHECK(*rank_correlation(std::vector{1.0, 2.0, 3.0, 4.0, 5.0}, std::vector{20.0, 10.0, 40.0, 30.0, 50.0}) ==
        Approx(0.8));
  // Ranks 1, 2.5, 2.5, 4 and 1, 2, 4, 3: 3 / sqrt(4.5 * 5).
  CHECK(*rank_correlation(std::vector{10.0, 20.0, 20.0, 30.0}, std::vector{1.0, 2.0, 4.0, 3.0}) ==
        Approx(0.6324555320));
  CHECK(*rank_correlation(std::vector{1.0, 2.0, 3.0}, std::vector{9.0, 4.0, 1.0}) == Approx(-1));
  CHECK_FALSE(rank_correlation(std::vector{1.0}, std::vector{2.0}));
  CHECK_FALSE(rank_correlation(std::vector{1.0, 1.0}, std::vector{2.0, 3.0}));
}

TEST_CASE("accuracy page: figures within their limits pass, and are split by their use", "[accuracy]") {
  const Page page = page_of({2.0, 3.0}, three());
  CHECK(page.passed());
  CHECK(page.headline ==
        "mean 2.0 %, worst 3.0 % over 3 figures; 1 calibrated, 2 held out; all within limits");
  const Tallies& t = page.tallies;
  CHECK(t.all.worst_id == "b");
  CHECK(t.calibration.mean == Approx(1));
  CHECK(t.check.mean == Approx(2.5));
  CHECK(t.all.rank == Approx(1));
  CHECK_FALSE(t.calibration.rank);
}

TEST_CASE("accuracy page: a mean beyond its limit fails", "[accuracy][must-fail]") {
  const Page page = page_of({1.9, std::nullopt}, three());
  CHECK(page.status == ExitStatus::kCheckFailed);
  CHECK(page.beyond == std::vector<std::string>{"f: mean 2.00 %, limit 1.9 %"});
  CHECK_THAT(page.headline, Catch::EndsWith("; 1 limit exceeded"));
}

TEST_CASE("accuracy page: a figure beyond its limit fails, whichever its sign", "[accuracy][must-fail]") {
  const Page page = page_of({std::nullopt, 1.5}, three());
  CHECK(page.status == ExitStatus::kCheckFailed);
  CHECK(page.beyond == std::vector<std::string>{"f: b -3.00 %, limit 1.5 %", "f: c +2.00 %, limit 1.5 %"});
  CHECK_THAT(page.headline, Catch::EndsWith("; 2 limits exceeded"));
}

TEST_CASE("accuracy page: a miss that is declared passes with its reason, and another one fails",
          "[accuracy][must-fail]") {
  Family declared = family("f", {std::nullopt, 1.5});
  declared.misses = {{"b", -3.4, "b is hard"}, {"c", 2.5, "c is harder"}};
  const auto page_with = [&](std::vector<PageRow> rows) {
    return make_page({"checks.yaml", "T", "trainium2_one_chip", "m.yaml", {}}, {},
                     {judge(declared, std::move(rows))});
  };
  const Page page = page_with(three());  // errors of +1, -3 and +2 percent
  CHECK(page.passed());
  CHECK_THAT(page.headline, Catch::EndsWith("; all within limits but 2 known misses"));
  CHECK(page.known == std::vector<std::string>{"f: b -3.00 %, limit 1.5 %, declared as -3.4 %: b is hard",
                                               "f: c +2.00 %, limit 1.5 %, declared as 2.5 %: c is harder"});
  CHECK_THAT(junit_xml(page_suites(page)), Contains("skipped=\"2\"") && Contains("failures=\"0\""));
  CHECK_THAT(page_markdown(page), Contains("known miss of f: b"));
  const json written = json::parse(page_json(page));
  CHECK(written["families"][0]["figures"][1]["within_limit"] == false);
  CHECK(written["families"][0]["figures"][1]["known_miss"]["reason"] == "b is hard");
  // An undeclared figure, one that moved, to either side, and one that meets its limit again.
  for (const auto& [silicon, model, id] : {std::tuple{100.0, 98.0, "a"}, std::tuple{200.0, 191.0, "b"},
                                           std::tuple{200.0, 209.0, "b"}, std::tuple{200.0, 199.0, "b"}}) {
    std::vector<PageRow> rows = three();
    for (PageRow& one : rows)
      if (one.figure.id == id) one = row(id, silicon, model);
    const Page failed_page = page_with(rows);
    CHECK(failed_page.status == ExitStatus::kCheckFailed);
    REQUIRE(failed_page.beyond.size() == 1);
    CHECK_THAT(failed_page.beyond.front(), Catch::StartsWith(std::string("f: ") + id));
  }
}

TEST_CASE("accuracy page: a figure without a value fails, with or without a limit", "[accuracy][must-fail]") {
  for (const Limits limits : {Limits{}, Limits{2.0, 10.0}}) {
    const Page page = page_of(limits, {row("a", 100, 100), failed("b", "why not", ExitStatus::kProgram)});
    CHECK(page.status == ExitStatus::kProgram);
    CHECK(page.without_value == 1);
    CHECK_THAT(page.headline, Catch::EndsWith("; 1 figure without a value"));
    CHECK_THAT(page_text(page), Contains("! b: why not"));
    CHECK_THAT(junit_xml(page_suites(page)), Contains("<failure message=\"why not\"/>"));
  }
  // The most severe reason determines the status.
  CHECK(
      page_of({}, {failed("a", "x", ExitStatus::kInvariant), failed("b", "y", ExitStatus::kUsage)}).status ==
      ExitStatus::kInvariant);
}

TEST_CASE("accuracy page: figures without a limit are counted apart and never fail", "[accuracy]") {
  const Page page =
      make_page({"checks.yaml", "T", "m", "m.yaml", {}}, {},
                {judge(family("f", {2.0, 3.0}), three()), judge(family("g", {}), {row("d", 1, 2)})});
  CHECK(page.passed());
  CHECK(page.headline ==
        "mean 2.0 %, worst 3.0 % over 3 figures; 1 calibrated, 2 held out; 1 without a limit; all "
        "within limits");
  CHECK_THAT(page_text(page), Contains("limits       none, reported only"));
}

TEST_CASE("accuracy page: the text names the calibration figures and explains them", "[accuracy]") {
  const std::string text = page_text(page_of({2.0, 3.0}, three()));
  const std::string last = text.substr(text.rfind("calibration: "));
  CHECK_THAT(last, Contains("predict nothing") && Contains("\n  f  a\n"));
  CHECK_THAT(last, !Contains(" b") || !Contains("a b"));
}

TEST_CASE("accuracy page: silicon's spread and the model's over the phases are in the table", "[accuracy]") {
  PageRow spread = row("a", 100, 101);
  spread.figure.samples = 7;
  spread.figure.spread = Spread{99, 103};
  spread.phases = Spread{100.5, 107.25};
  const Page page = page_of({}, {spread});
  CHECK_THAT(page_text(page),
             Contains("99.00..103.00") && Contains("100.50..107.25") && Contains("7 samples"));
  const json figure = json::parse(page_json(page))["families"][0]["figures"][0];
  CHECK(figure["silicon_spread"] == json{{"low", 99}, {"high", 103}});
  CHECK(figure["model_over_phases"] == json{{"low", 100.5}, {"high", 107.25}});
  CHECK_THAT(page_csv(page), Contains("\nf,a,a,ns,100,7,99,103,101,100.5,107.25,1,check,TRACE t,,\n"));
}

TEST_CASE("accuracy page: figures with an interval are counted, and those outside theirs are named",
          "[accuracy]") {
  std::vector<PageRow> rows = three();  // references 100, 200 and 300
  CHECK_THAT(page_of({}, rows).headline, !Contains("interval"));
  rows[1].interval = Spread{190, 200};  // an end belongs to it
  rows[2].interval = Spread{301, 310};
  const Page page = page_of({}, rows);
  CHECK(page.coverage.of == 2);
  CHECK(page.coverage.inside == 1);
  CHECK(page.coverage.outside == std::vector<std::string>{"c"});
  CHECK_THAT(page.headline, Contains("1 of 2 held-out figures lie within their 95 % intervals"));
  CHECK_THAT(page_text(page), Contains("301.00") && Contains("310.00"));
  const json figures = json::parse(page_json(page))["families"][0]["figures"];
  CHECK_FALSE(figures[0].contains("interval"));
  CHECK(figures[2]["interval"] == json{{"low", 301}, {"high", 310}});
}

TEST_CASE("accuracy intervals: the moves of a figure are combined by parameter and direction", "[accuracy]") {
  FigureMoves moves;
  moves.add({0, false, ""}, -0.03);
  moves.add({0, true, ""}, 0.01);
  moves.add({2, true, ""}, 0.12);   // parameter 1 has no value at either end
  moves.add({2, false, ""}, 0.04);  // both ends of this one are up: only the larger move counts
  CHECK(moves.distance().down == Approx(0.03));
  CHECK(moves.distance().up == Approx(std::hypot(0.01, 0.12)));
  CHECK(FigureMoves().distance().down == 0);
  CHECK(FigureMoves().distance().up == 0);
}

TEST_CASE("accuracy intervals: the bound is the ceil(0.95 (n + 1))-th smallest distance, if there is one",
          "[accuracy]") {
  const auto bound_of = [](std::size_t n) {
    std::vector<double> distances;
    for (std::size_t k = n; k > 0; --k) distances.push_back(static_cast<double>(k));
    return conformal_bound(distances);
  };
  CHECK_FALSE(bound_of(0).has_value());
  CHECK_FALSE(bound_of(18).has_value());
  CHECK(bound_of(19) == 19.0);
  CHECK(bound_of(39) == 38.0);
  CHECK(bound_of(100) == 96.0);
}

// The law of split conformal prediction: of n + 1 figures in random order, the last one is beyond the bound
// of the others in at most 5 % of all orders, whatever their errors are.
TEST_CASE("accuracy intervals: of figures in any order, 95 % lie within the bound of the others",
          "[accuracy]") {
  for (const std::size_t n : {19, 39, 58}) {
    std::size_t inside = 0;
    for (std::size_t held_out = 0; held_out <= n; ++held_out) {
      std::vector<double> others;
      for (std::size_t k = 0; k <= n; ++k)
        if (k != held_out) others.push_back(std::exp(static_cast<double>(k * k) / 7));
      inside += std::exp(static_cast<double>(held_out * held_out) / 7) <= *conformal_bound(others);
    }
    INFO(n);
    CHECK(static_cast<double>(inside) >= 0.95 * static_cast<double>(n + 1));
    CHECK(inside < n + 1);
  }
}

namespace {

// Distances of 1/101, 2/102 and so on of the model.
std::vector<PageRow> calibrated(std::size_t n) {
  std::vector<PageRow> rows;
  for (std::size_t k = 1; k <= n; ++k)
    rows.push_back(
        row("fit" + std::to_string(k), 100, 100 + static_cast<double>(k), FigureUse::kCalibration));
  return rows;
}

FamilyPage with_row(const std::string& name, std::vector<PageRow> rows, const PageRow& held_out) {
  rows.push_back(held_out);
  return judge(family(name, {}), std::move(rows));
}

}  // namespace

TEST_CASE("accuracy intervals: a family with enough calibrated figures has a law error of its own",
          "[accuracy]") {
  std::vector<FamilyPage> families{
      with_row("own", calibrated(39), row("held", 100, 81)),
      with_row("few", {row("fit", 100, 200, FigureUse::kCalibration)}, row("held", 100, 90)),
      with_row("none", {}, row("held", 100, 50))};
  set_intervals(families);
  const double own = 38.0 / 138;
  CHECK(families[0].law_error == Approx(own));
  CHECK(families[0].rows.back().interval->low == Approx(81 * (1 - own)));
  CHECK(families[0].rows.back().interval->high == Approx(81 * (1 + own)));
  CHECK_FALSE(families[0].rows.front().interval.has_value());  // a fit predicts nothing
  CHECK(families[1].law_error == Approx(0.5));                 // its largest, beyond the bound of all
  CHECK(families[2].law_error == Approx(39.0 / 139));          // the 39th of all 40
  CHECK_THAT(page_text(make_page({"checks.yaml", "T", "m", "m.yaml", {}}, {}, families)),
             Contains("law error    27.54 %\n"));

  std::vector<FamilyPage> too_few{with_row("few", calibrated(18), row("held", 100, 90))};
  set_intervals(too_few);
  CHECK_FALSE(too_few[0].law_error.has_value());
  CHECK_FALSE(too_few[0].rows.back().interval.has_value());
}

TEST_CASE("accuracy intervals: the moves of parameters widen the interval of a figure by their squares",
          "[accuracy]") {
  PageRow moved = row("moved", 100, 100);
  moved.moves = IntervalDistance{0.04, 0.12};
  std::vector<FamilyPage> families{with_row("own", calibrated(19), moved)};
  set_intervals(families);
  CHECK(families[0].rows.back().interval->low == Approx(100 * (1 - std::hypot(19.0 / 119, 0.04))));
  CHECK(families[0].rows.back().interval->high == Approx(100 * (1 + std::hypot(19.0 / 119, 0.12))));

  std::vector<FamilyPage> uncalibrated{judge(
      family("none", {}), {moved, row("still", 100, 90), failed("late", "never", ExitStatus::kInvariant)})};
  set_intervals(uncalibrated);
  CHECK(uncalibrated[0].rows[0].interval->high == Approx(112));
  CHECK_FALSE(uncalibrated[0].rows[1].interval.has_value());
  CHECK_FALSE(uncalibrated[0].rows[2].interval.has_value());
}

TEST_CASE("accuracy page: the keys of the JSON are those of schema version 1", "[accuracy]") {
  const json page = json::parse(page_json(page_of({2.0, 2.5}, three())));
  const auto keys = [](const json& object) {
    std::vector<std::string> names;
    for (const auto& [name, value] : object.items()) names.push_back(name);
    return names;
  };
  using Names = std::vector<std::string>;  // sorted, as the reader returns them
  CHECK(page["schema_version"] == 1);
  CHECK(keys(page) == Names{"families", "headline", "known_misses", "limits_exceeded", "machine", "overrides",
                            "passed", "schema_version", "statistics", "title"});
  CHECK(keys(page["statistics"]) == Names{"all", "calibration", "check"});
  CHECK(keys(page["statistics"]["all"]) == Names{"figures", "mean_absolute_error_percent", "rank_correlation",
                                                 "worst_absolute_error_percent", "worst_id"});
  const json& f = page["families"][0];
  CHECK(keys(f) ==
        Names{"doc", "figures", "law_error_percent", "limits", "name", "phases", "statistics", "table"});
  CHECK(keys(f["limits"]) == Names{"mean_percent", "worst_percent"});
  CHECK(keys(f["figures"][0]) == Names{"case", "error_percent", "failure", "id", "model", "model_over_phases",
                                       "probe", "samples", "silicon", "silicon_spread", "source", "unit",
                                       "use", "what", "within_limit"});
  CHECK(page["passed"] == false);
  CHECK(page["limits_exceeded"].size() == 1);
  CHECK(f["figures"][1]["within_limit"] == false);
  CHECK(f["statistics"]["calibration"]["rank_correlation"].is_null());
}

TEST_CASE("accuracy page: JUnit has a case per figure and one for the mean", "[accuracy]") {
  const std::string xml = junit_xml(page_suites(page_of({1.0, 2.5}, three())));
  CHECK_THAT(xml, Contains("<testsuite name=\"accuracy.f\" tests=\"4\" failures=\"2\" skipped=\"0\">"));
  CHECK_THAT(xml, Contains("<testcase classname=\"accuracy.f\" name=\"a\"/>"));
  CHECK_THAT(xml, Contains("name=\"b\">\n      <failure message=\"-3.00 %, limit 2.5 %\"/>"));
  CHECK_THAT(xml, Contains("name=\"mean\">\n      <failure message=\"2.00 %, limit 1 %\"/>"));
}
