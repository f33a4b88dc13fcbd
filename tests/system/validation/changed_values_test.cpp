// SPDX-License-Identifier: Apache-2.0
// `tahoma check` of cases whose program, values or machine changed: the errors of the outputs, and the
// changes that lead.
#include <catch2/catch.hpp>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "tests/support/program/twice_program.h"
#include "tests/support/subprocess.h"

using namespace tahoma;
using namespace tahoma::tests;
using Catch::Contains;
using nlohmann::json;
namespace fs = std::filesystem;

namespace {

constexpr const char* kValues = "goldens/cases/twice.values.json";

Finished in_folder(const TempDir& dir, std::vector<std::string> words) {
  words.insert(words.begin(), {"/usr/bin/env", "-u", "CI", TAHOMA_BINARY});
  return run_program(words, dir.path());
}

Finished blessed(const TempDir& dir) {
  return in_folder(dir, {"check", "cases.yaml", "--bless", "--reason", "a test"});
}

// `values`: kept of each output.
void fill(const TempDir& dir, const std::string& values = "128") {
  dir.write("twice.tasm", kTwice);
  dir.write("twice.yaml", program_case("twice.tasm"));
  dir.write("cases.yaml", "cases:\n  title: A test\n  values: " + values +
                              "\n  runs:\n    twice:\n      workload: twice.yaml\n");
  const Finished first = blessed(dir);
  INFO(first.err);
  REQUIRE(first.status == 0);
}

// The program triples row 32 of its input, which it otherwise doubles.
void triple_row_32(const TempDir& dir) {
  std::string text = kTwice;
  const std::size_t end = text.rfind(" update=s1+=1");
  text.erase(end);
  text +=
      "\n  tensor_scalar shape=1x512 dst=sbuf[32, 0x0]:fp32 src=sbuf[32, 0x0]:fp32 op0=mult scalar0=1.5 "
      "update=s1+=1\n";
  dir.write("twice.tasm", text);
}

json only_case(const Finished& finished) {
  INFO(finished.out << finished.err);
  return json::parse(finished.out)["cases"][0];
}

}  // namespace

TEST_CASE("changed values: the error against the golden's values is in text, JSON, JUnit and Markdown",
          "[regression][cli]") {
  const TempDir dir;
  fill(dir, "65536");  // all elements
  triple_row_32(dir);
  const Finished finished =
      in_folder(dir, {"check", "cases.yaml", "--junit", "junit.xml", "--markdown", "cases.md"});
  CHECK(finished.status == 1);
  std::string markdown = contents(dir / "cases.md");
  std::erase(markdown, '\\');  // it escapes brackets
  for (const std::string& report : {finished.out, contents(dir / "junit.xml"), markdown})
    CHECK_THAT(report,
               Contains("out: 512 of 65536 elements differ, the first is [32, 0], largest absolute error ") &&
                   Contains(", largest relative error 50 % at [32, "));

  const json out = only_case(in_folder(dir, {"check", "cases.yaml", "--format", "json"}))["outputs"][0];
  CHECK(out["name"] == "out");
  CHECK(out["blocks"]["changed"] == 512);
  CHECK(out["blocks"]["first"][0] == 32 * 512);
  CHECK(out["largest_relative_error"]["error"].get<double>() == Approx(0.5));
  const json largest = out["largest_absolute_error"];
  CHECK(largest["error"].get<double>() == Approx(std::abs(largest["before"].get<double>()) / 2));
  CHECK(largest["index"].get<std::uint64_t>() / 512 == 32);
}

TEST_CASE("changed values: by default 128 values are kept, which name the block of the first change",
          "[regression][cli]") {
  const TempDir dir;
  fill(dir);
  triple_row_32(dir);
  const json out = only_case(in_folder(dir, {"check", "cases.yaml", "--format", "json"}))["outputs"][0];
  CHECK(out["blocks"] ==
        json({{"length", 512}, {"number", 128}, {"changed", 1}, {"first", {32 * 512, 33 * 512}}}));
  CHECK(out["values_changed"] == 1);
  CHECK(out["largest_relative_error"]["error"].get<double>() == Approx(0.5));
}

TEST_CASE("changed values: an unchanged output has no errors, and goldens without values still compare",
          "[regression][cli]") {
  const TempDir dir;
  fill(dir);
  CHECK(only_case(in_folder(dir, {"check", "cases.yaml", "--format", "json"}))["outputs"].empty());
  fs::remove(dir / kValues);
  CHECK(in_folder(dir, {"check", "cases.yaml"}).status == 0);
  triple_row_32(dir);
  const json row = only_case(in_folder(dir, {"check", "cases.yaml", "--format", "json"}));
  CHECK_FALSE(row["passed"].get<bool>());
  CHECK(row["outputs"].empty());
}

TEST_CASE(
    "changed values: blessing writes the values, also without other changes, and removes those of no case",
    "[regression][cli]") {
  const TempDir dir;
  fill(dir);
  const std::string values = contents(dir / kValues);
  fs::remove(dir / kValues);
  const Finished again = blessed(dir);
  CHECK_THAT(again.out, Contains("twice: kept values only\n"));
  CHECK(contents(dir / kValues) == values);
  CHECK(blessed(dir).out == "all 1 goldens are unchanged\n");

  dir.write("cases.yaml",
            "cases:\n  title: A test\n  runs:\n    timed:\n      workload: twice.yaml\n      mode: timing\n");
  CHECK(blessed(dir).status == 0);
  CHECK_FALSE(fs::exists(dir / kValues));
  CHECK_FALSE(fs::exists(dir / "goldens/cases/timed.values.json"));
}

TEST_CASE("changed values: a damaged file of values is the failure of its case",
          "[regression][cli][must-fail]") {
  const TempDir dir;
  fill(dir);
  dir.write(kValues, "[{}]");
  const Finished finished = in_folder(dir, {"check", "cases.yaml"});
  CHECK(finished.status == 2);
  CHECK_THAT(finished.out, Contains("E-REG-017") && Contains("twice.values.json"));
}

TEST_CASE("leading changes: a slower resource leads a report of many changed statistics",
          "[regression][cli]") {
  const TempDir dir;
  fill(dir);
  struct Planted {
    const char *set, *lead;  // lead: a part of the name of one of the leads
  };
  for (const auto& [set, lead] : {Planted{"machine.chip.core.vector.clock=480 MHz", "vector"},
                                  Planted{"machine.chip.core.dma.bytes_per_cycle=4 B", "dma"},
                                  Planted{"machine.chip.hbm.model=flat", "hbm"}}) {
    const Finished finished = in_folder(dir, {"check", "cases.yaml", "--format", "json", "--set", set});
    INFO(set << finished.err);
    const json leading = only_case(finished)["leading"];
    INFO(leading.dump(1));
    CHECK(leading["changes"].get<std::size_t>() > 20);
    const auto& leads = leading["leads"];
    CHECK(std::any_of(leads.begin(), leads.end(), [&](const json& each) {
      return each["name"].get<std::string>().find(lead) != std::string::npos;
    }));
  }
}
