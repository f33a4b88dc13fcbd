// SPDX-License-Identifier: Apache-2.0
// Published peaks on the page of `tahoma check`: their tables, errors in them, and the shipped suite of the
// generations.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "runtime/config/config_files.h"
#include "studies/validation/accuracy/tables/peak_table.h"
#include "tests/support/program/refusal_of.h"
#include "tests/support/subprocess.h"
#include "tests/support/temp_dir.h"

using namespace tahoma;
using namespace tahoma::tests;
using Catch::Contains;
using nlohmann::json;
using runtime::parse_peaks;

namespace {

constexpr const char* kPeakColumns = "id,what,machine,case,probe,work,peak,unit,source\n";
const std::string kPeakFolder = std::string(TAHOMA_SOURCE_DIR) + "/workloads/micro/generations";

void check_peak_refused(const std::string& row, const std::string& code_and_place, const std::string& hint) {
  INFO(row);
  CHECK_THAT(refusal_of([&] {
               parse_peaks({"p.csv", kPeakColumns + row + "\n"});
             }),
             Contains(code_and_place) && Contains(hint));
}

// A case whose only instruction waits for nothing; its run takes some time T, so that work / T is a rate.
Finished check_rate(const std::string& machine, const std::string& peak) {
  const TempDir dir;
  dir.write("one.tasm", ".program one\nvector:\nmemset shape=128x512 dst=sbuf[0, 0]:fp32 value=1\n");
  dir.write("one.yaml", "kind: program\nmachine: trainium2_one_chip\nworkload:\n  file: one.tasm\n");
  dir.write("p.csv", std::string(kPeakColumns) + "a,memset," + machine +
                         ",one.yaml,vector[0].end - vector[0].start,65536," + peak + ",Gelements/s,test\n");
  dir.write(
      "checks.yaml",
      "accuracy:\n  title: Peaks\n  families:\n    one: {doc: one., peaks: p.csv, limits: {worst: 5 %}}\n");
  return tahoma_in(dir.path(), {"check", "checks.yaml", "--format", "json"});
}

double model_of(const Finished& finished) {
  INFO(finished.err << finished.out);
  return json::parse(finished.out)["families"][0]["figures"][0]["model"].get<double>();
}

}  // namespace

TEST_CASE("peak table: a row is read unchanged", "[accuracy]") {
  const auto figures =
      parse_peaks({"cases/p.csv", std::string(kPeakColumns) +
                                      "a,what a is,trainium1_chip,sub/a.yaml,time,1000,92,TFLOPS,a page\n"});
  REQUIRE(figures.size() == 1);
  CHECK(figures[0].case_path == "cases/sub/a.yaml");
  CHECK(figures[0].peak->machine == "trainium1_chip");
  CHECK(figures[0].peak->work == 1000);
  CHECK(figures[0].reference == 92);
  CHECK(std::string(name_of(figures[0].unit)) == "TFLOPS");
}

TEST_CASE("peak table: bad fields are refused at line and column", "[accuracy][bad-input]") {
  check_peak_refused("a,w,m,c.yaml,tflops,1,1,TFLOPS,s", "p.csv:2:14: error[E-ACC-009]", "expected a time");
  check_peak_refused("a,w,m,c.yaml,time,0,1,TFLOPS,s", "p.csv:2:19: error[E-ACC-004]", "above 0");
  check_peak_refused("a,w,m,c.yaml,time,1,1,GBs,s", "p.csv:2:23: error[E-ACC-005]", "GB/s");
  check_peak_refused("a,w,,c.yaml,time,1,1,GB/s,s", "p.csv:2:5: error[E-ACC-004]", "'machine' is empty");
}

TEST_CASE("peak check: a rate is the work over the probe's time, on the machine of the row",
          "[accuracy][cli]") {
  const double v3 = model_of(check_rate("trainium2_one_chip", "100")),
               v4 = model_of(check_rate("trainium3_chip", "100"));
  CHECK(v3 > 0);
  CHECK(v4 > v3);  // a clock of 1.2 instead of 0.96 GHz
  CHECK(check_rate("trainium2_one_chip", "1000").status == 1);
  CHECK(check_rate("trainium2_one_chip", std::to_string(v3 * 1.04)).status == 0);
  CHECK(check_rate("trainium2_one_chip", std::to_string(v3 * 1.06)).status == 1);
}

TEST_CASE("peak check: an unknown machine is refused", "[accuracy][cli][bad-input]") {
  const Finished finished = check_rate("trainium9", "1");
  CHECK(finished.status == 2);
  CHECK_THAT(finished.err, Contains("p.csv:2:10") && Contains("E-CFG-021"));
}

TEST_CASE("generations: programs reach every published peak of cores, DMA engines, links and stacks",
          "[accuracy][cli]") {
  const Finished finished = tahoma_in(std::string(TAHOMA_SOURCE_DIR),
                                      {"check", kPeakFolder + "/generations.yaml", "--format", "json"});
  INFO(finished.err << finished.out);
  REQUIRE(finished.status == 0);
  const json page = json::parse(finished.out);
  std::size_t figures = 0;
  for (const json& family : page["families"])
    for (const json& figure : family["figures"]) {
      if (family["name"] == "chips") continue;
      CAPTURE(figure["id"].get<std::string>());
      CHECK(figure["model"].get<double>() >= 0.95 * figure["reference"].get<double>());
      ++figures;
    }
  CHECK(figures >= 36);
}

TEST_CASE("generations: the peak that a program's MFU refers to is that of its mode", "[accuracy][cli]") {
  const auto peak = [](const std::string& name, const std::string& machine) {
    const TempDir dir;
    const Finished finished =
        tahoma_in(dir.path(), {"run", kPeakFolder + "/programs/" + name + ".yaml", "--machine", machine,
                               "--mode", "timing", "--no-report", "--out", "out"});
    INFO(finished.err);
    REQUIRE(finished.status == 0);
    return json::parse(contents(dir / "out/summary.json"))["flops"]["peak_tflops"].get<double>();
  };
  constexpr double kArray = 2e-12 * 128 * 128;
  CHECK(peak("matmul_bf16", "trainium1_chip") == Approx(kArray * 2.8e9));
  CHECK(peak("matmul_bf16", "trainium3_chip") == Approx(kArray * 2.4e9));
  CHECK(peak("matmul_double_row", "trainium2_one_chip") == Approx(2 * kArray * 2.4e9));
  CHECK(peak("matmul_mx", "trainium3_chip") == Approx(4 * kArray * 2.4e9));
}
