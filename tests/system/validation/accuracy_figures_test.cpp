// SPDX-License-Identifier: Apache-2.0
// Tables of figures, their probes, and the file that names them: valid ones are read, invalid ones refused.
#include <catch2/catch.hpp>

#include "model/base/error.h"
#include "runtime/host/tables/csv.h"
#include "studies/validation/accuracy/suite.h"
#include "tests/support/program/figure_tables.h"
#include "tests/support/temp_dir.h"

using namespace tahoma;
using namespace tahoma::runtime;
using Catch::Contains;
using tests::figure_line, tests::suite_text, tests::TempDir;

namespace {

Probe probe_of(const std::string& text) {
  return parse_probe(text, [](std::size_t offset) { return std::to_string(offset); });
}

// The error that `action` raises: "code place: message".
template <class Action>
std::string refusal(Action&& action) {
  try {
    action();
  } catch (const base::UserError& e) {
    CHECK(e.status == base::ExitStatus::kUsage);
    return e.code + " " + e.place + ": " + e.message;
  }
  return "accepted";
}

void check_probe_refused(const std::string& text, std::size_t offset, const std::string& hint) {
  INFO(text);
  const std::string said = refusal([&] { probe_of(text); });
  CHECK_THAT(said, Catch::StartsWith("E-ACC-008 " + std::to_string(offset) + ": ") && Contains(hint));
}

std::vector<Figure> figures_of(const std::string& lines) {
  return parse_figures({"folder/t.csv", tests::kFigureColumns + lines});
}

void check_table_refused(const std::string& text, const std::string& code_and_place,
                         const std::string& hint) {
  INFO(text);
  const std::string said = refusal([&] { parse_figures({"folder/t.csv", text}); });
  CHECK_THAT(said, Catch::StartsWith(code_and_place + ": ") && Contains(hint));
}

void check_line_refused(const std::string& line, const std::string& code_and_place, const std::string& hint) {
  check_table_refused(tests::kFigureColumns + line, code_and_place, hint);
}

// A suite and its table in a folder.
std::string refusal_of_suite(const std::string& suite, const std::string& lines,
                             const std::vector<std::string>& only = {}) {
  const TempDir dir;
  dir.write("lanes.csv", tests::kFigureColumns + lines);
  const std::string file = dir.write("checks.yaml", suite);
  std::string said = refusal([&] { load_suite(file, only); });
  for (std::size_t at; (at = said.find(dir.path().string() + "/")) != std::string::npos;)
    said.erase(at, dir.path().string().size() + 1);
  return said;
}

const std::string kLine = figure_line("one", "c.yaml", "time", "10");

}  // namespace

TEST_CASE("probe: an interval has its two events and its count", "[accuracy]") {
  const Interval i = std::get<Interval>(probe_of("tensor[4].end - tensor[-1].next"));
  CHECK(i.count == 1);
  CHECK(i.to.text == "tensor[4].end");
  const auto to = std::get<InstructionEvent>(i.to.what), from = std::get<InstructionEvent>(i.from.what);
  CHECK(to.queue == isa::Queue::kTensor);
  CHECK(to.index == 4);
  CHECK(to.moment == InstructionEvent::Moment::kEnd);
  CHECK(from.index == -1);
  CHECK(from.moment == InstructionEvent::Moment::kNext);
  CHECK(std::get<Interval>(probe_of(" ( cc1[20].start-cc1[10].start ) / 10 ")).count == 10);
}

TEST_CASE("probe: packets, semaphores and whole runs", "[accuracy]") {
  const Interval i = std::get<Interval>(probe_of("sem[7]>=16 - dma[3].ring[1][12].read"));
  const auto to = std::get<SemaphoreEvent>(i.to.what);
  CHECK(to.semaphore == 7);
  CHECK(to.at_least == 16);
  const auto from = std::get<PacketEvent>(i.from.what);
  CHECK(from.engine == 3);
  CHECK(from.ring == 1);
  CHECK(from.index == 12);
  CHECK(from.moment == PacketEvent::Moment::kRead);
  CHECK(std::get<Whole>(probe_of("time")) == Whole::kTime);
  CHECK(std::get<Whole>(probe_of("tflops")) == Whole::kTflops);
}

TEST_CASE("probe: errors are reported at their place", "[accuracy][bad-input]") {
  check_probe_refused("", 0, "unknown subject ''");
  check_probe_refused("tensr[4].end - tensor[4].start", 0, "did you mean 'tensor'?");
  check_probe_refused("tensor[4].end - vecto[4].start", 16, "did you mean 'vector'?");
  check_probe_refused("tensor[4].ends - tensor[4].start", 10, "did you mean 'end'?");
  check_probe_refused("tensor[4].read - tensor[4].start", 10, "expected start, next, end");
  check_probe_refused("dma[0].ring[0][0].end - time", 18, "expected start, read, write");
  check_probe_refused("tensor[x].end - tensor[4].start", 7, "whole number");
  check_probe_refused("tensor[4.end - tensor[4].start", 8, "expected ']'");
  check_probe_refused("tensor[99999999999999999999].end - tensor[4].start", 7, "whole number");
  check_probe_refused("tensor[4].end", 13, "expected '-'");
  check_probe_refused("(tensor[4].end - tensor[4].start) / 0", 36, "at least 1");
  check_probe_refused("(tensor[4].end - tensor[4].start)", 33, "expected '/'");
  check_probe_refused("tensor[4].end - tensor[4].start / 2", 32, "superfluous '/ 2'");
  check_probe_refused("sem[1]>=0 - sem[0]>=1", 8, "semaphores begin with 0");
  check_probe_refused("dma[-1].ring[0][0].read - sem[0]>=1", 4, "whole number");
  check_probe_refused("times", 0, "unknown subject 'times'");
}

TEST_CASE("figures: a row is read unchanged", "[accuracy]") {
  const auto figures = figures_of(
      "# a comment\n\na_1,\"matmul, \"\"bf16\"\"\",../c.yaml,time,1.5,us,5,1.25,2,calibration,\"AGT, "
      "x\"\r\n" +
      kLine);
  REQUIRE(figures.size() == 2);
  CHECK(figures[0].id == "a_1");
  CHECK(figures[0].what == "matmul, \"bf16\"");
  CHECK(figures[0].case_path == "c.yaml");  // relative to the table's folder
  CHECK(figures[0].reference == 1.5);
  CHECK(figures[0].unit == FigureUnit::kUs);
  CHECK(figures[0].samples == 5);
  CHECK(figures[0].spread->low == 1.25);
  CHECK(figures[0].spread->high == 2);
  CHECK(figures[0].use == FigureUse::kCalibration);
  CHECK(figures[0].source == "AGT, x");
  CHECK(figures[0].place == "folder/t.csv:4:1");
  CHECK(figures[1].use == FigureUse::kCheck);
  CHECK_FALSE(figures[1].spread);
  CHECK(figures[1].case_path == "folder/c.yaml");
}

TEST_CASE("figures: bad tables are refused at line and column", "[accuracy][bad-input]") {
  check_table_refused("", "E-ACC-003 folder/t.csv", "column 'id' is missing");
  check_table_refused("id,what,case,probe,silicon,unit,samples,low,high,use\n", "E-ACC-003 folder/t.csv:1:1",
                      "column 'source' is missing");
  check_table_refused("id,what,case,prob\n", "E-ACC-003 folder/t.csv:1:14", "did you mean 'probe'?");
  check_table_refused("id,id\n", "E-ACC-003 folder/t.csv:1:4", "appears twice");
  check_line_refused("one,w\n", "E-ACC-002 folder/t.csv:2:1", "2 fields, but the header has 11");
  check_line_refused("one,\"w\n", "E-ACC-002 folder/t.csv:2:5", "not closed");
  check_line_refused("one,\"w\"x,\n", "E-ACC-002 folder/t.csv:2:8", "expected a comma");
  check_line_refused(kLine + kLine, "E-ACC-006 folder/t.csv:3:1", "id 'one' appears twice");
  check_line_refused(figure_line("One", "c", "time", "1"), "E-ACC-006 folder/t.csv:2:1", "lower case");
  check_line_refused(figure_line("one", "", "time", "1"), "E-ACC-004 folder/t.csv:2:17", "'case' is empty");
}

TEST_CASE("figures: bad fields are refused at line and column", "[accuracy][bad-input]") {
  check_line_refused(figure_line("one", "c", "time", "fast"), "E-ACC-004 folder/t.csv:2:24", "got 'fast'");
  check_line_refused(figure_line("one", "c", "time", "0"), "E-ACC-004 folder/t.csv:2:24", "above 0");
  check_line_refused(figure_line("one", "c", "time", "-3"), "E-ACC-004 folder/t.csv:2:24", "above 0");
  check_line_refused(figure_line("one", "c", "time", "nan"), "E-ACC-004 folder/t.csv:2:24", "above 0");
  check_line_refused(figure_line("one", "c", "time", "1", "check", "ms"), "E-ACC-005 folder/t.csv:2:26",
                     "expected ns or us or TFLOPS");
  check_line_refused(figure_line("one", "c", "time", "1", "chek"), "E-ACC-005 folder/t.csv:2:33",
                     "did you mean 'check'?");
  check_line_refused(figure_line("one", "c", "time", "1", "check", "TFLOPS"), "E-ACC-009 folder/t.csv:2:26",
                     "a time: expected unit ns or us");
  check_line_refused(figure_line("one", "c", "tflops", "1"), "E-ACC-009 folder/t.csv:2:28", "TFLOPS");
  check_line_refused(figure_line("one", "c", "tensr[1].end", "1"), "E-ACC-008 folder/t.csv:2:19",
                     "did you mean 'tensor'?");
  check_line_refused("a,w,c,time,5,ns,0,,,check,s\n", "E-ACC-004 folder/t.csv:2:17", "at least 1");
  check_line_refused("a,w,c,time,5,ns,1,4,,check,s\n", "E-ACC-007 folder/t.csv:2:19", "single sample");
  check_line_refused("a,w,c,time,5,ns,2,,6,check,s\n", "E-ACC-004 folder/t.csv:2:19", "'low' is empty");
  check_line_refused("a,w,c,time,5,ns,2,7,6,check,s\n", "E-ACC-007 folder/t.csv:2:19", "got 7 <= 5 <= 6");
  check_line_refused("a,w,c,time,5,ns,2,3,4,check,s\n", "E-ACC-007 folder/t.csv:2:19", "got 3 <= 5 <= 4");
}

TEST_CASE("checks file: families keep its order, with their rows and limits", "[accuracy]") {
  const TempDir dir;
  dir.write("b.csv", tests::kFigureColumns + kLine + figure_line("two", "c.yaml", "time", "3"));
  dir.write("a.csv", tests::kFigureColumns + figure_line("three", "c.yaml", "time", "4"));
  const std::string file =
      dir.write("checks.yaml",
                "accuracy:\n  title: T\n  machine: trainium2_one_chip\n  families:\n"
                "    z: {doc: d, table: b.csv, rows: tw* , limits: {worst: 5 %}, phases: 3}\n"
                "    y: {doc: d, table: b.csv, rows: one}\n"
                "    x: {doc: d, table: a.csv, limits: {mean: 1.5 %, worst: none}}\n");
  const Suite suite = load_suite(file);
  REQUIRE(suite.families.size() == 3);
  CHECK(suite.title == "T");
  CHECK(suite.families[0].name == "z");
  CHECK(suite.families[0].figures.front().id == "two");
  CHECK(suite.families[0].phases == 3);
  CHECK(suite.families[0].limits.worst == 5.0);
  CHECK_FALSE(suite.families[0].limits.mean);
  CHECK(suite.families[1].figures.front().id == "one");
  CHECK(suite.families[2].limits.mean == 1.5);
  CHECK_FALSE(suite.families[2].limits.worst);

  CHECK(std::filesystem::remove(dir / "b.csv"));
  CHECK(load_suite(file, {"x"}).families.size() == 1);
}

TEST_CASE("checks file: a bad one is refused at its place", "[accuracy][bad-input]") {
  const auto check = [](const std::string& suite, const std::string& begin, const std::string& hint) {
    INFO(suite);
    CHECK_THAT(refusal_of_suite(suite, kLine), Catch::StartsWith(begin + ": ") && Contains(hint));
  };
  check("accuarcy: {}\n", "E-CFG-019 checks.yaml:1:11", "");
  check("accuarcy: {a: 1}\n", "E-ACC-001 checks.yaml:1:12", "");
  check(suite_text() + "kind: gemm\n", "E-ACC-001 checks.yaml:8:1", "unknown key 'kind'");
  check(suite_text("      limit: {mean: 2 %}\n"), "E-CFG-002 checks.yaml:8:15", "");
  check(suite_text("      limits: {man: 2 %}\n"), "E-CFG-002 checks.yaml:8:16", "did you mean");
  check(suite_text("      limits: {mean: 2}\n"), "E-ACC-010 checks.yaml:8:22", "such as '2 %'");
  check(suite_text("      limits: {worst: much %}\n"), "E-ACC-010 checks.yaml:8:23", "such as '2 %'");
  const std::string limits = "      limits: {worst: 2 %}\n",
                    miss = "      misses: {one: {error: 3 %, reason: r}}\n";
  check(suite_text(limits + "      misses: {on: {error: 3 %, reason: r}}\n"), "E-ACC-018 checks.yaml:9:21",
        "did you mean 'one'?");
  check(suite_text(miss), "E-ACC-013 checks.yaml:8:22", "limits.worst");
  check(suite_text(limits + "      misses: {one: {error: 3 %}}\n"), "E-ACC-013 checks.yaml:9:22", "reason");
  check(suite_text(limits + "      misses: {one: {error: 3, reason: r}}\n"), "E-ACC-010 checks.yaml:9:29",
        "such as '-10 %'");
  check(suite_text(limits + "      misses: {one: {eror: 3 %, reason: r}}\n"), "E-CFG-002 checks.yaml:9:22",
        "did you mean");
  check(suite_text("      phases: 1.5\n"), "E-CFG-004 checks.yaml:8:15", "");
  check(suite_text("      rows: on\n"), "E-ACC-011 checks.yaml:7:14",
        "no row of lanes.csv has an id like 'on'");
  check(suite_text("", "trainium2_one_chp"), "E-CFG-021 checks.yaml:3:12",
        "did you mean 'trainium2_one_chip'?");
  check("accuracy: {title: T, machine: trainium2_one_chip}\n", "E-ACC-013 checks.yaml",
        "'accuracy.families'");
  check("accuracy: {machine: trainium2_one_chip}\n", "E-ACC-013 checks.yaml", "'accuracy.title'");
  check("accuracy: {title: T, machine: trainium2_one_chip, families: {a: {doc: d}}}\n",
        "E-ACC-013 checks.yaml:1:66", "'accuracy.families.a.table'");
}

TEST_CASE("checks file: every row belongs to one family, every table exists", "[accuracy][bad-input]") {
  const std::string two = kLine + figure_line("two", "c", "time", "1");
  CHECK_THAT(refusal_of_suite(suite_text("      rows: one\n"), two),
             Catch::StartsWith("E-ACC-011 lanes.csv:3:1: no family takes the row 'two'"));
  const std::string again = "    more: {doc: d, table: lanes.csv, rows: one}\n";
  CHECK_THAT(refusal_of_suite(suite_text() + again, two),
             Catch::StartsWith("E-ACC-011 lanes.csv:2:1: row 'one' belongs to two families"));
  const std::string missing = "    more: {doc: d, table: mor.csv}\n";
  CHECK_THAT(refusal_of_suite(suite_text() + missing, two),
             Catch::StartsWith("E-RUN-001 checks.yaml:8:27: mor.csv"));
  CHECK(refusal_of_suite(suite_text() + missing, two, {"lanes"}) == "accepted");
  CHECK_THAT(refusal_of_suite(suite_text(), two, {"lane"}),
             Contains("E-ACC-014") && Contains("did you mean 'lanes'?"));
}
