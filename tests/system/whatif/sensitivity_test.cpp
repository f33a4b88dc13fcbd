// SPDX-License-Identifier: Apache-2.0
// Sensitivities: each is the time of a run with that one change; the interval is that of its law; what cannot
// be changed is named.
#include "studies/whatif/sensitivity.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string_view>

#include "studies/whatif/uncertain.h"
#include "tests/support/subprocess.h"

using namespace tahoma;
using namespace tahoma::tests;
using base::Provenance;
using Catch::Contains;
using nlohmann::json;
using runtime::Sensitivity, runtime::SensitivityRow;

namespace {

constexpr const char* kGemm =
    "kind: gemm\n"
    "machine: trainium2_one_chip\n"
    "mode: timing\n"
    "workload: {m: 128, n: 512, k: 256, dtype: bf16}\n";

runtime::ConfigRequest request() {
  runtime::ConfigRequest r;
  r.workload = "gemm.yaml";
  r.text = kGemm;
  return r;
}

Sensitivity of(const std::vector<Provenance>& provenances, std::size_t jobs = 2) {
  return runtime::sensitivity("gemm", request(), provenances, 0, jobs, [](std::size_t, std::size_t) {});
}

const SensitivityRow& row_of(const Sensitivity& s, std::string_view path) {
  const auto found =
      std::find_if(s.rows.begin(), s.rows.end(), [&](const auto& row) { return row.path == path; });
  REQUIRE(found != s.rows.end());
  return *found;
}

SensitivityRow moved(double low, double high) {
  SensitivityRow row;
  row.low.percent = low;
  row.high.percent = high;
  return row;
}

}  // namespace

TEST_CASE("sensitivity: the interval is the root of the squares of the moves, up and down apart",
          "[sensitivity]") {
  Sensitivity s;
  s.run.time = base::Duration{1'000'000'000};
  CHECK(s.interval_low() == Approx(1e-6));
  CHECK(s.interval_high() == Approx(1e-6));
  s.rows = {moved(-3, 1), moved(4, -4), moved(0, 12)};
  CHECK(s.interval_low() == Approx(1e-6 * (1 - std::sqrt(9 + 16) / 100)));
  CHECK(s.interval_high() == Approx(1e-6 * (1 + std::sqrt(1 + 16 + 144) / 100)));
  s.rows = {moved(-200, 0)};  // no time is negative
  CHECK(s.interval_low() == 0);
}

TEST_CASE("sensitivity: a parameter's own range goes before that of its provenance", "[sensitivity]") {
  const base::Source source = base::assumed("a test");
  CHECK(runtime::uncertainty_of(source)->low == 0.5);
  CHECK(runtime::uncertainty_of(source)->high == 2);
  CHECK(runtime::uncertainty_of(source.within(0.9, 1.5))->low == 0.9);
  CHECK(runtime::uncertainty_of(source.within(0.9, 1.5))->high == 1.5);
  CHECK_FALSE(runtime::uncertainty_of(base::documented("a test")));
  const Sensitivity s = of({Provenance::kAssumed});
  const SensitivityRow& row = row_of(s, "machine.chip.hbm.dram.timing.faw");  // 15 ns
  CHECK(row.low.value == "13.5 ns");
  CHECK(row.high.value == "30 ns");
}

TEST_CASE("sensitivity: a stored interval is shown by the runs to which it belongs, and by no others",
          "[sensitivity]") {
  const TempDir folder;
  folder.write("gemm.yaml", kGemm);
  const auto in_folder = [&](const std::vector<std::string>& words) {
    return tahoma_in(folder.path().string(), words);
  };
  const auto interval = [&](std::vector<std::string> options) {
    std::vector<std::string> words{"run", "gemm.yaml", "--out", "out", "--no-report"};
    words.insert(words.end(), options.begin(), options.end());
    REQUIRE(in_folder(words).status == 0);
    return json::parse(contents(folder / "out/summary.json")).value("interval", json());
  };
  CHECK(interval({}).is_null());
  const Finished stored =
      in_folder({"sensitivity", "gemm.yaml", "--of", "derived", "--store", "--format", "json"});
  INFO(stored.err);
  REQUIRE(stored.status == 0);
  const json wanted = json::parse(stored.out)["interval_ns"];
  const json shown = interval({});
  CHECK(shown["low_ns"].get<double>() == Approx(wanted[0].get<double>()));
  CHECK(shown["high_ns"].get<double>() == Approx(wanted[1].get<double>()));
  CHECK(shown["of"] == "derived");
  CHECK_THAT(contents(folder / "out/summary.txt"), Contains("95 % interval"));
  // Mode and seed change no time; a value of the machine makes another configuration.
  CHECK(interval({"--mode", "functional", "--seed", "7"}) == shown);
  CHECK(interval({"--set", "machine.chip.hbm.read_latency=400ns"}).is_null());
  // A row whose time is another is out of date.
  const std::string table = contents(folder / "intervals.csv");  // case,configuration,time_fs,...
  std::string other = table;
  other.insert(table.find(',', table.find("gemm.yaml,") + 10) + 1, "1");
  folder.write("intervals.csv", other);
  CHECK(interval({}).is_null());
  // Storing again replaces the row.
  REQUIRE(in_folder({"sensitivity", "gemm.yaml", "--of", "measured", "--store"}).status == 0);
  CHECK(interval({})["of"] == "measured");
  CHECK_THAT(in_folder({"sensitivity", "out", "--of", "derived", "--store"}).err, Contains("E-CLI-004"));
  folder.write("intervals.csv", "case,time\n");
  CHECK_THAT(in_folder({"run", "gemm.yaml", "--out", "out"}).err, Contains("E-ACC-003"));
}

TEST_CASE("sensitivity: the change of a row is that of a run with this value alone", "[sensitivity]") {
  const Sensitivity s = of({Provenance::kMeasured});
  const SensitivityRow& row = row_of(s, "machine.chip.core.dma.start_up");
  REQUIRE(row.high.skipped.empty());
  const TempDir folder;
  folder.write("gemm.yaml", kGemm);
  const auto time = [&](const std::vector<std::string>& options) {
    std::vector<std::string> words{"run", "gemm.yaml", "--out", "out", "--no-report"};
    words.insert(words.end(), options.begin(), options.end());
    REQUIRE(tahoma_in(folder.path().string(), words).status == 0);
    return json::parse(contents(folder / "out/summary.json"))["simulated_time_ns"].get<double>();
  };
  const double before = time({}), after = time({"--set", row.path + "=" + row.high.value});
  CHECK(s.run.time.ns() == Approx(before));
  CHECK(row.high.percent == Approx(100 * (after / before - 1)));
  CHECK(row.high.percent > 0);  // a load waits for it
}

TEST_CASE("sensitivity: parameters that a run cannot feel have none", "[sensitivity]") {
  const Sensitivity s = of({Provenance::kAssumed});
  for (const char* path : {"machine.link.wire", "machine.link.router", "machine.chip.noc.cross_die"})
    CHECK(row_of(s, path).largest() == 0);
  for (const SensitivityRow& row : s.rows) {
    CHECK(row.provenance == Provenance::kAssumed);
    CHECK(row.path.find("energy") == std::string::npos);
  }
  CHECK(std::is_sorted(s.rows.begin(), s.rows.end(),
                       [](const auto& a, const auto& b) { return a.largest() > b.largest(); }));
}

TEST_CASE("sensitivity: values that cannot be changed are skipped with the reason", "[sensitivity]") {
  const Sensitivity s = of({Provenance::kAssumed});
  CHECK_THAT(row_of(s, "machine.chip.core.psum.bank_turns").low.skipped,
             Contains("does not change"));  // a switch
  CHECK_THAT(row_of(s, "machine.chip.core.gpsimd.turnaround").high.skipped,
             Contains("does not change"));  // zero
  CHECK_THAT(row_of(s, "machine.chip.hbm.dram.write_high").high.skipped,
             Contains("100"));  // beyond its range
  for (const SensitivityRow& row : s.rows)
    if (!row.low.skipped.empty()) CHECK(row.low.percent == 0);
}

TEST_CASE("sensitivity: the number of jobs changes nothing", "[sensitivity]") {
  CHECK(sensitivity_json(of({Provenance::kDerived}, 1)) == sensitivity_json(of({Provenance::kDerived}, 3)));
}

TEST_CASE("sensitivity: a value that the user has set is no guess", "[sensitivity]") {
  runtime::ConfigRequest r = request();
  r.overrides = {"machine.chip.hbm.read_latency=40ns"};
  const Sensitivity s =
      runtime::sensitivity("gemm", r, {Provenance::kAssumed}, 0, 2, [](std::size_t, std::size_t) {});
  CHECK(std::none_of(s.rows.begin(), s.rows.end(),
                     [](const auto& row) { return row.path == "machine.chip.hbm.read_latency"; }));
}

TEST_CASE("sensitivity command: the first line answers, and mistakes are refused", "[sensitivity]") {
  const TempDir folder;
  folder.write("gemm.yaml", kGemm);
  const auto command = [&](std::vector<std::string> words) {
    words.insert(words.begin(), "sensitivity");
    return tahoma_in(folder.path().string(), words);
  };
  const Finished f = command({"gemm.yaml", "--of", "derived"});
  INFO(f.err);
  REQUIRE(f.status == 0);
  CHECK_THAT(f.out.substr(0, f.out.find('\n')),
             Contains("95 % interval") && Contains("parameters change it"));
  CHECK(
      json::parse(command({"gemm.yaml", "--of", "derived", "--format", "json"}).out)["interval_ns"].size() ==
      2);
  CHECK_THAT(command({"gemm.yaml", "--of", "derived", "--format", "csv"}).out,
             Contains("path,provenance,value,low"));
  CHECK_THAT(command({"gemm.yaml", "--of", "guessed"}).err, Contains("E-CLI-003"));
  CHECK_THAT(command({"gem.yaml"}).err, Contains("E-RUN-001"));
}
