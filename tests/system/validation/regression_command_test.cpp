// SPDX-License-Identifier: Apache-2.0
// `tahoma check` of regression cases, `--bless`, and `tahoma compare`, as a user sees them.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <tuple>

#include "studies/validation/regression/case_file.h"
#include "studies/validation/regression/differences/difference.h"
#include "tests/support/program/file_of_run.h"
#include "tests/support/program/refusal_of.h"
#include "tests/support/program/twice_program.h"
#include "tests/support/subprocess.h"

using namespace tahoma;
using namespace tahoma::tests;
using Catch::Contains, Catch::StartsWith;
using nlohmann::json;
namespace fs = std::filesystem;

namespace {

constexpr const char* kRun = "    twice:\n      workload: twice.yaml\n";
constexpr const char* kGolden = "goldens/cases/twice.csv";
const std::string kSlower = "machine.chip.core.vector.clock=480 MHz";

std::string cases(const std::string& runs = kRun, const std::string& more = "") {
  return "cases:\n  title: A test\n" + more + "  runs:\n" + runs;
}

// A folder with a program, a workload and a file of cases.
void fill_cases(const TempDir& dir, const std::string& text = cases()) {
  dir.write("twice.tasm", kTwice);
  dir.write("twice.yaml", program_case("twice.tasm"));
  dir.write("cases.yaml", text);
}

// Runs without the CI variable, under which a test may run.
Finished run_in(const TempDir& dir, std::vector<std::string> words) {
  words.insert(words.begin(), {"/usr/bin/env", "-u", "CI", TAHOMA_BINARY});
  return run_program(words, dir.path());
}

Finished bless(const TempDir& dir, std::vector<std::string> more = {}) {
  more.insert(more.begin(), {"check", "cases.yaml", "--bless", "--reason", "a, reason"});
  return run_in(dir, more);
}

json page_of_cases(const Finished& finished) {
  INFO(finished.out << finished.err);
  return json::parse(finished.out);
}

std::string refusal_of_cases(const std::string& text) {
  const TempDir dir;
  fill_cases(dir, text);
  return refusal_of([&] { static_cast<void>(runtime::load_case_file(dir / "cases.yaml")); });
}

std::size_t lines_of(const std::string& text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

}  // namespace

TEST_CASE("regression cases: blessed goldens pass, and a changed machine turns them red by subsystem",
          "[regression][cli]") {
  const TempDir dir;
  fill_cases(dir);
  const Finished blessed = bless(dir);
  INFO(blessed.err);
  CHECK(blessed.status == 0);
  CHECK_THAT(blessed.out, StartsWith("1 golden of 1 cases written to goldens/cases\n  twice: new: "));
  const Finished passed = run_in(dir, {"check", "cases.yaml"});
  CHECK(passed.status == 0);
  CHECK_THAT(passed.out, StartsWith("all 1 cases equal their goldens"));
  CHECK_THAT(contents(dir / kGolden), Contains("\noutputs.out.sha256,") && Contains("\nsimulated_time_ns,"));

  const Finished slower = run_in(dir, {"check", "cases.yaml", "--set", kSlower});
  CHECK(slower.status == 1);
  CHECK_THAT(slower.out, StartsWith("1 of 1 cases fails: twice\n"));
  CHECK_THAT(slower.out, Contains("engines: ") && Contains("run: ") && Contains("simulated_time_ns"));
  CHECK_THAT(slower.out, !Contains("outputs.out"));
}

TEST_CASE("regression cases: a golden with a line less, a line more or another value fails",
          "[regression][cli][must-fail]") {
  const TempDir dir;
  fill_cases(dir);
  REQUIRE(bless(dir).status == 0);
  const std::string golden = contents(dir / kGolden);
  const auto difference = [&](const std::string& bytes) {
    dir.write(kGolden, bytes);
    const Finished finished = run_in(dir, {"check", "cases.yaml", "--format", "json"});
    CHECK(finished.status == 1);
    const json groups = page_of_cases(finished)["cases"][0]["groups"];
    REQUIRE(groups.size() == 1);
    REQUIRE(groups[0]["differences"].size() == 1);
    return groups[0]["differences"][0];
  };
  const json more = difference(golden + "planted,0\n");
  CHECK(more["name"] == "planted");
  CHECK(more["after"].is_null());
  const std::size_t at = golden.find("instructions,"), end = golden.find('\n', at);
  const json less = difference(golden.substr(0, at) + golden.substr(end + 1));
  CHECK(less["name"] == "instructions");
  CHECK(less["before"].is_null());
  const json other = difference(golden.substr(0, at) + "instructions,4" + golden.substr(end));
  CHECK(other["before"] == 4);
  CHECK(other["change"].get<double>() == Approx(other["after"].get<double>() / 4 - 1));
}

TEST_CASE("regression cases: blessing logs old and new figures, and writes only changes",
          "[regression][cli]") {
  const TempDir dir;
  fill_cases(dir, cases(std::string(kRun) + "    again:\n      workload: twice.yaml\n      mode: timing\n"));
  REQUIRE(bless(dir).status == 0);
  const std::string log = contents(dir / "goldens/cases/bless.log"), golden = contents(dir / kGolden);
  CHECK(lines_of(log) == 3);
  CHECK_THAT(log,
             StartsWith("date,version,commit,case,old_time_ns,new_time_ns,old_mfu_percent,new_mfu_percent,"
                        "old_busiest,new_busiest,reason\n"));
  CHECK_THAT(log, Contains(",twice,,") && Contains(",\"a, reason\"\n"));
  CHECK(bless(dir).out == "all 2 goldens are unchanged\n");
  CHECK(contents(dir / "goldens/cases/bless.log") == log);

  fill_cases(dir, cases(std::string(kRun) + "      set: {machine.chip.core.vector.clock: 480 MHz}\n"));
  const Finished changed = bless(dir);
  CHECK_THAT(changed.out, StartsWith("2 goldens of 1 cases written"));
  CHECK_THAT(changed.out, Contains("twice: ") && Contains(" -> ") && Contains("again: removed"));
  CHECK(contents(dir / kGolden) != golden);
  CHECK_FALSE(fs::exists(dir / "goldens/cases/again.csv"));
  CHECK(lines_of(contents(dir / "goldens/cases/bless.log")) == 5);
  CHECK(run_in(dir, {"check", "cases.yaml"}).status == 0);
}

TEST_CASE("regression cases: blessing is refused in CI, without a reason, and with parameters set",
          "[regression][cli][must-fail]") {
  const TempDir dir;
  fill_cases(dir);
  const Finished ci = run_program(
      {"/usr/bin/env", "CI=true", TAHOMA_BINARY, "check", "cases.yaml", "--bless", "--reason", "x"},
      dir.path());
  CHECK(ci.status == 2);
  CHECK_THAT(ci.err, Contains("E-REG-009"));
  const std::pair<const char*, const char*> refused[]{{"", "E-CLI-003"}, {"  ", "E-REG-008"}};
  for (const auto& [reason, code] : refused) {
    const Finished none = run_in(dir, {"check", "cases.yaml", "--bless", "--reason", reason});
    CHECK(none.status == 2);
    CHECK_THAT(none.err, Contains(code));
  }
  CHECK_THAT(run_in(dir, {"check", "cases.yaml", "--bless"}).err, Contains("E-REG-008"));
  const Finished set = bless(dir, {"--set", kSlower});
  CHECK(set.status == 2);
  CHECK_THAT(set.err, Contains("E-REG-010"));
  CHECK_FALSE(fs::exists(dir / "goldens"));
}

TEST_CASE("regression cases: a case that cannot be run is its row's reason, and blesses nothing",
          "[regression][cli][must-fail]") {
  const TempDir dir;
  fill_cases(dir, cases(std::string(kRun) +
                        "    bad:\n      workload: missing.yaml\n    stuck:\n      workload: stuck.yaml\n"));
  dir.write("stuck.tasm", ".program stuck\n.args in out\nsync:\n  sem_wait wait=s2>=16\n");
  dir.write("stuck.yaml", program_case("stuck.tasm"));
  const Finished refused = bless(dir);
  CHECK(refused.status == 4);
  CHECK_THAT(refused.err,
             Contains("E-REG-011") && Contains("bad: ") && Contains("E-RUN-001") && Contains("E-RUN-051"));
  CHECK_FALSE(fs::exists(dir / "goldens"));
  REQUIRE(bless(dir, {"--case", "twice"}).status == 0);
  const Finished finished = run_in(dir, {"check", "cases.yaml", "--format", "json"});
  CHECK(finished.status == 4);
  const json rows = page_of_cases(finished)["cases"];
  CHECK(rows[0]["passed"] == true);
  CHECK_THAT(rows[1]["failure"].get<std::string>(), Contains("E-RUN-001"));
  CHECK_THAT(rows[2]["failure"].get<std::string>(), Contains("E-RUN-051"));
}

TEST_CASE("regression cases: wrong values fail, whatever their golden has", "[regression][cli][must-fail]") {
  const TempDir dir;
  fill_cases(dir);
  REQUIRE(bless(dir).status == 0);
  REQUIRE(run_in(dir, {"run", "twice.yaml", "--save-outputs", "--seed", "2"}).status == 0);
  std::string expecting = program_case("twice.tasm");
  expecting.insert(expecting.find("zero") + 4, " expect=out/out.npy");  // the values of another seed
  dir.write("twice.yaml", expecting);
  const Finished finished = run_in(dir, {"check", "cases.yaml"});
  CHECK(finished.status == 1);
  CHECK_THAT(finished.out, Contains("E-RUN-070"));
  CHECK_THAT(bless(dir).err, Contains("E-REG-011"));
}

TEST_CASE("regression cases: a case can ask for the checks of its program, and findings fail it",
          "[regression][cli]") {
  const TempDir dir;
  fill_cases(dir, cases(std::string(kRun) + "      check: [races, uninitialised]\n"));
  REQUIRE(bless(dir).status == 0);
  CHECK(run_in(dir, {"check", "cases.yaml"}).status == 0);
  std::string racy = kTwice;
  racy.replace(racy.find(" wait=s0>=16"), 12, "");
  dir.write("twice.tasm", racy);
  const Finished finished = run_in(dir, {"check", "cases.yaml", "--format", "json"});
  CHECK(finished.status == 3);
  CHECK_THAT(page_of_cases(finished)["cases"][0]["failure"].get<std::string>(),
             Contains("E-RUN-071") && Contains("E-CHK-001 race: "));
  CHECK_THAT(bless(dir).err, Contains("E-REG-011") && Contains("E-CHK-001"));
  CHECK_THAT(refusal_of_cases(cases(std::string(kRun) + "      check: [race]\n")),
             Contains("E-REG-016") && Contains("did you mean 'races'"));
  CHECK_THAT(refusal_of_cases(cases(std::string(kRun) + "      check: races\n")), Contains("E-REG-002"));
}

TEST_CASE("regression cases: a suite on a terminal says how many cases have run, and elsewhere nothing",
          "[regression][cli]") {
  const TempDir dir;
  fill_cases(dir, cases(std::string(kRun) + "    again:\n      workload: twice.yaml\n"));
  REQUIRE(bless(dir).status == 0);
  const std::string command = std::string(TAHOMA_BINARY) + " check cases.yaml --jobs 1";
  const Finished terminal = run_program({"/usr/bin/script", "-qec", command, "/dev/null"}, dir.path());
  CHECK(terminal.status == 0);
  CHECK_THAT(terminal.out, Contains("\r[ 50 %] 1 of 2 cases have run, ETA 0:0"));
  CHECK(run_in(dir, {"check", "cases.yaml"}).err.empty());
}

TEST_CASE("regression cases: values that no reference checks are reported as such, and required ones fail",
          "[regression][cli]") {
  const TempDir dir;
  fill_cases(dir, cases(std::string(kRun) + "    timed:\n      workload: twice.yaml\n      mode: timing\n"));
  REQUIRE(bless(dir).status == 0);
  const Finished finished =
      run_in(dir, {"check", "cases.yaml", "--junit", "junit.xml", "--markdown", "cases.md"});
  CHECK(finished.status == 0);
  CHECK_THAT(finished.out,
             Contains("not checked: twice\n") && Contains("\n? twice") && Contains("\n  timed"));
  CHECK_THAT(contents(dir / "cases.md"), Contains("| twice | not checked |") && Contains("| timed | ok |"));
  const std::string junit = contents(dir / "junit.xml");
  CHECK_THAT(junit, Contains("failures=\"0\" skipped=\"1\"") && Contains("name=\"twice\" time=\"") &&
                        Contains("<property name=\"simulated_time_ns\" value=\"") &&
                        Contains("</properties>\n      <skipped message=\"values not checked: "));
  const json page = page_of_cases(run_in(dir, {"check", "cases.yaml", "--format", "json"}));
  CHECK(page["cases"][0]["unchecked"].is_string());
  CHECK(page["cases"][1]["unchecked"].is_null());

  const Finished required = run_in(dir, {"check", "cases.yaml", "--require-golden"});
  CHECK(required.status == 1);
  CHECK_THAT(required.out, StartsWith("1 of 2 cases fails: twice\n") && Contains("E-RUN-072"));
  const Finished run = run_in(dir, {"run", "twice.yaml", "--require-golden"});
  CHECK(run.status == 1);
  CHECK_THAT(run.err, Contains("error[E-RUN-072]"));
  CHECK_THAT(contents(dir / "out/summary.txt"), Contains("golden not checked") && !Contains("golden passed"));
  CHECK(json::parse(contents(dir / "out/summary.json"))["golden"]["outcome"] == "not_checked");
  CHECK(json::parse(contents(dir / "out/summary.json"))["golden"]["passed"] == false);
  CHECK(json::parse(contents(dir / "out/manifest.json"))["golden"] == "not_checked");
}

TEST_CASE("regression cases: a tolerance lets its statistics move, and has to name some",
          "[regression][cli]") {
  const TempDir dir;
  const std::string head = std::string(kRun) + "      tolerances:\n";
  const auto with = [&](const std::string& pattern, const std::string& percent) {
    dir.write("cases.yaml", cases(head + "        - {statistics: '" + pattern + "', tolerance: " + percent +
                                  ", reason: a test}\n"));
    return run_in(dir, {"check", "cases.yaml", "--set", "machine.chip.core.vector.clock=959 MHz"});
  };
  fill_cases(dir);
  REQUIRE(bless(dir).status == 0);
  CHECK(with("*", "10 %").status == 0);
  CHECK(with("*", "0.0001 %").status == 1);
  CHECK(with("hbm.*", "10 %").status == 1);
  const Finished nothing = with("no.such.*", "10 %");
  CHECK(nothing.status == 2);
  CHECK_THAT(nothing.out, Contains("E-REG-004"));
}

TEST_CASE("regression cases: goldens that are missing, malformed or without a case are reported",
          "[regression][cli][must-fail]") {
  const TempDir dir;
  fill_cases(dir);
  const Finished none = run_in(dir, {"check", "cases.yaml"});
  CHECK(none.status == 1);
  CHECK_THAT(none.out, Contains("E-REG-005"));
  REQUIRE(bless(dir).status == 0);
  const std::string golden = contents(dir / kGolden);
  dir.write("goldens/cases/old.csv", golden);
  const Finished stale = run_in(dir, {"check", "cases.yaml"});
  CHECK(stale.status == 1);
  CHECK_THAT(stale.out, Contains("E-REG-007"));
  fs::remove(dir / "goldens/cases/old.csv");
  for (const std::string& bytes : {std::string("name,value\n"), golden + "instructions,1\n"}) {
    dir.write(kGolden, bytes);
    const Finished malformed = run_in(dir, {"check", "cases.yaml"});
    CHECK(malformed.status == 2);
    CHECK_THAT(malformed.out, Contains("E-REG-006"));
  }
  // Blessing replaces files that cannot be read.
  REQUIRE(bless(dir).status == 0);
  CHECK(contents(dir / kGolden) == golden);
}

TEST_CASE("regression cases: errors of the file are reported at their place", "[regression][must-fail]") {
  CHECK_THAT(refusal_of_cases(cases("    Bad-Name:\n      workload: twice.yaml\n")),
             Contains("E-REG-001") && Contains(":5:7"));
  CHECK_THAT(refusal_of_cases(cases("    a:\n      mode: timing\n")),
             Contains("E-REG-002") && Contains("workload"));
  CHECK_THAT(refusal_of_cases("cases:\n  title: A test\n"), Contains("E-REG-002") && Contains("cases.runs"));
  CHECK_THAT(refusal_of_cases("cases:\n  runs:\n" + std::string(kRun)),
             Contains("E-REG-002") && Contains("title"));
  CHECK_THAT(refusal_of_cases(cases(kRun, "  statistics: '*'\n")), Contains("E-REG-002") && Contains("list"));
  const std::string head = std::string(kRun) + "      tolerances:\n";
  CHECK_THAT(refusal_of_cases(cases(head + "        - {statistics: '*', tolerance: 1 %}\n")),
             Contains("E-REG-003") && Contains("reason"));
  CHECK_THAT(refusal_of_cases(cases(head + "        - {statistics: '*', tolerance: 1, reason: x}\n")),
             Contains("E-REG-003"));
  CHECK_THAT(refusal_of_cases(cases(std::string(kRun) + "      workloads: x\n")),
             Contains("E-CFG-002") && Contains("workload"));
  CHECK_THAT(refusal_of_cases(cases() + "other: 1\n"), Contains("E-CFG-002"));
  CHECK(refusal_of_cases(cases()) == "accepted");
}

TEST_CASE("regression cases: machine, mode, seed, overrides and patterns reach their case", "[regression]") {
  const TempDir dir;
  fill_cases(
      dir, cases("    a:\n      workload: twice.yaml\n      machine: trainium2_server\n      mode: timing\n "
                 "     seed: 9\n"
                 "      set: {workload.cores: 2, machine.chip.hbm.model: flat}\n",
                 "  statistics: ['*.dma.*']\n"));
  const runtime::CaseFile file = runtime::load_case_file(dir / "cases.yaml");
  REQUIRE(file.cases.size() == 1);
  const runtime::ConfigRequest& request = file.cases[0].request;
  CHECK(request.workload == dir / "twice.yaml");
  CHECK_THAT(request.machine, Contains("trainium2_server.yaml"));
  CHECK(request.mode == "timing");
  CHECK(request.seed == "9");
  REQUIRE(request.settings.size() == 2);
  CHECK(request.settings[0].path + "=" + request.settings[0].text == "workload.cores=2");
  CHECK(request.settings[1].path + "=" + request.settings[1].text == "machine.chip.hbm.model=flat");
  CHECK(file.patterns == std::vector<std::string>{"*.dma.*"});
  CHECK(file.goldens == dir / "goldens/cases");
}

TEST_CASE("regression cases: --case chooses among them, and needs a file that has them",
          "[regression][cli]") {
  const TempDir dir;
  fill_cases(dir, cases(std::string(kRun) + "    other:\n      workload: twice.yaml\n"));
  REQUIRE(bless(dir).status == 0);
  CHECK(page_of_cases(run_in(dir, {"check", "cases.yaml", "--case", "other", "--format", "json"}))["cases"]
            .size() == 1);
  const Finished unknown = run_in(dir, {"check", "cases.yaml", "--case", "othr"});
  CHECK(unknown.status == 2);
  CHECK_THAT(unknown.err, Contains("E-REG-012") && Contains("other"));
  dir.write("figures.yaml", "accuracy:\n  title: x\n");
  CHECK_THAT(run_in(dir, {"check", "figures.yaml", "--case", "a"}).err, Contains("E-REG-015"));
  CHECK_THAT(run_in(dir, {"check", "figures.yaml", "--bless", "--reason", "x"}).err, Contains("E-REG-015"));
  CHECK_THAT(run_in(dir, {"check", "cases.yaml", "--family", "a"}).err, Contains("E-REG-015"));
}

TEST_CASE("regression cases: a folder, JUnit, Markdown and the results' folder, the same bytes each time",
          "[regression][cli]") {
  const TempDir dir;
  fill_cases(dir, cases(std::string(kRun) + "      mode: timing\n    bad:\n      workload: missing.yaml\n"));
  REQUIRE(bless(dir, {"--case", "twice"}).status == 0);
  fs::create_directory(dir / "below");
  fs::rename(dir / "cases.yaml", dir / "below/cases.yaml");
  fs::rename(dir / "goldens", dir / "below/goldens");
  for (const char* file : {"twice.yaml", "twice.tasm"}) fs::copy(dir / file, dir.path() / "below" / file);
  std::vector<std::string> bytes;
  for (const char* jobs : {"1", "4"}) {
    const Finished finished =
        run_in(dir, {"check", ".", "--jobs", jobs, "--junit", "j.xml", "--markdown", "m.md", "--out", "o"});
    CHECK(finished.status == 2);
    CHECK(contents(dir / "o/below.cases/cases.txt") == finished.out);
    CHECK(contents(dir / "o/below.cases/cases.md") == contents(dir / "m.md"));
    bytes.push_back(finished.out + contents(dir / "j.xml") + contents(dir / "m.md") +
                    contents(dir / "o/below.cases/cases.json"));
    fs::remove_all(dir / "o");
  }
  CHECK(bytes[0] == bytes[1]);
  CHECK_THAT(contents(dir / "j.xml"),
             Contains("tests=\"2\" failures=\"1\"") && Contains("name=\"twice\" time=\""));
  CHECK_THAT(contents(dir / "m.md"), Contains("| twice | ok |") && Contains("| bad | **FAIL** |"));
}

TEST_CASE("compare: two runs, the same and not, as text and as JSON", "[regression][cli]") {
  const TempDir dir;
  fill_cases(dir);
  REQUIRE(run_in(dir, {"run", "twice.yaml", "--out", "a"}).status == 0);
  REQUIRE(run_in(dir, {"run", "twice.yaml", "--out", "b", "--set", kSlower}).status == 0);
  const Finished same = run_in(dir, {"compare", "a", "a"});
  CHECK(same.status == 0);
  CHECK_THAT(same.out, StartsWith("A and B are equal: "));
  const Finished slower = run_in(dir, {"compare", "a", "b", "--lines", "2"});
  CHECK(slower.status == 0);
  CHECK_THAT(slower.out,
             StartsWith("B is ") && Contains(" % slower: ") && Contains("engines: ") && Contains(" more\n"));
  const json comparison = page_of_cases(run_in(dir, {"compare", "b", "a", "--format", "json"}));
  CHECK_THAT(comparison["headline"].get<std::string>(), Contains(" % faster: "));
  CHECK(comparison["a"]["headline"]["time_ns"].get<double>() >
        comparison["b"]["headline"]["time_ns"].get<double>());
  for (const json& group : comparison["groups"]) {
    // Quantities by the part of the time that they explain, then by their change; then everything else.
    std::tuple last(true, 1e300, 1e300);
    for (const json& d : group["differences"]) {
      const double explains = d["explains"].get<double>();
      const std::tuple rank(d["quantity"].get<bool>(), explains < runtime::kLeastPart ? 0 : explains,
                            std::fabs(d["change"].get<double>()));
      CHECK(rank <= last);
      last = rank;
    }
  }
}

TEST_CASE("compare: a folder without a run, or with other files, is refused",
          "[regression][cli][must-fail]") {
  const TempDir dir;
  fs::create_directory(dir / "a");
  const Finished none = run_in(dir, {"compare", "a", "a"});
  CHECK(none.status == 2);
  CHECK_THAT(none.err, Contains("E-REG-013"));
  dir.write("a/summary.json", "{}");
  for (const char* stats :
       {"{", "[{\"path\": 1}]", "[{\"path\": \"x\", \"value\": 1, \"unit\": \"furlong\"}]"}) {
    dir.write("a/stats.json", stats);
    const Finished malformed = run_in(dir, {"compare", "a", "a"});
    CHECK(malformed.status == 2);
    CHECK_THAT(malformed.err, Contains("E-REG-014"));
  }
}

TEST_CASE("compare: JSON that is no summary or no list of statistics is not a run that took no time",
          "[regression][cli][must-fail]") {
  const TempDir dir;
  fill_cases(dir);
  REQUIRE(run_in(dir, {"run", "twice.yaml", "--out", "good"}).status == 0);
  const std::string summary = contents(dir / "good/summary.json"),
                    stats = file_of_run(dir / "good/stats.json");
  fs::create_directory(dir / "bad");
  const std::vector<std::pair<std::string, std::string>> wrong{
      {"{}", "[]"},
      {"{}", stats},
      {"[]", stats},
      {"1", stats},
      {R"({"schema_version": 2})", stats},
      {R"({"schema_version": 2, "simulated_time_ns": "1"})", stats},
      {summary, "{}"}};
  for (const auto& [bad_summary, bad_stats] : wrong) {
    dir.write("bad/summary.json", bad_summary);
    dir.write("bad/stats.json", bad_stats);
    for (const auto& folders :
         {std::pair("good", "bad"), std::pair("bad", "good"), std::pair("bad", "bad")}) {
      const Finished refused = run_in(dir, {"compare", folders.first, folders.second});
      INFO(bad_summary << " " << folders.first << " " << refused.out);
      CHECK(refused.status == 2);
      CHECK_THAT(refused.err, Contains(bad_summary == summary ? "E-REP-004" : "E-REG-014"));
    }
  }
}
