// SPDX-License-Identifier: Apache-2.0
// The energy of real runs: beside the published power, against the counts of their statistics, with other
// clocks and voltages, and folded. No energy parameter changes a time.
#include <catch2/catch.hpp>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "report/energy/energy_terms.h"
#include "tests/support/program/file_of_run.h"
#include "tests/support/subprocess.h"
#include "tests/support/temp_dir.h"

using namespace tahoma::tests;
using Catch::Contains;
using nlohmann::json;

namespace {

using Words = std::vector<std::string>;

const std::string kWorkloads = std::string(TAHOMA_SOURCE_DIR) + "/workloads/";
constexpr double kWattsOfRuns = 500;  // of a chip: trainium2.md, section 7
const Words kSmallGemm{"--set", "workload.m=512", "--set", "workload.n=512", "--set", "workload.k=512"};

Words operator+(Words words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

// A finished run in timing mode.
struct Run {
  explicit Run(const std::string& workload, const Words& more = {}, const Words& report = {"--no-report"}) {
    const Finished finished = tahoma_in(
        dir.path(), Words{"run", kWorkloads + workload, "--mode", "timing", "--out", "out"} + report + more);
    INFO(finished.err);
    REQUIRE(finished.status == 0);
    text = finished.out;
    summary = json::parse(file("summary.json"));
    energy = summary["energy"];
  }
  std::string file(const std::string& name) const {
    return file_of_run(std::filesystem::path(dir.path()) / "out" / name);
  }
  // The sum of the statistics whose path ends like that.
  double statistic(const std::string& end) const {
    double sum = 0;
    for (const json& stat : json::parse(file("stats.json")))
      if (stat["path"].get<std::string>().ends_with(end)) sum += stat["value"].get<double>();
    return sum;
  }
  double joules(const std::string& component, const std::string& kind = "joules") const {
    return energy["components"][component][kind].get<double>();
  }
  double seconds() const { return summary["simulated_time_ns"].get<double>() * 1e-9; }

  TempDir dir;
  std::string text;
  json summary, energy;
};

// Sums of a column of a CSV file whose rows have names without commas.
double column_sum(const std::string& csv, const std::string& name) {
  std::istringstream lines(csv);
  std::string line, cell;
  std::size_t wanted = 0;
  double sum = 0;
  for (bool header = true; std::getline(lines, line); header = false) {
    std::istringstream cells(line);
    for (std::size_t n = 0; std::getline(cells, cell, ','); ++n)
      if (header && cell == name)
        wanted = n;
      else if (!header && n == wanted)
        sum += std::stod(cell);
  }
  return sum;
}

}  // namespace

TEST_CASE("energy: a GEMM that fills a chip draws its published power, and its work by count", "[energy]") {
  const Run run("gemm/chip.yaml", {"--set", "workload.m=8192", "--set", "workload.n=4096", "--set",
                                   "workload.k=8192", "--set", "workload.shard={m: 4, n: 2, k: 1}"});
  CHECK(run.summary["mfu_estimated_percent"].get<double>() > 90);
  CHECK(run.energy["chip_watts"].get<double>() == Approx(kWattsOfRuns).epsilon(0.1));
  const double macs = run.statistic(".hardware_flops") / 2;
  CHECK(run.statistic(".cell_cycles") == macs);
  CHECK(run.joules("tensor") == Approx(macs * (0.59e-12 + 0.48e-12)));
  CHECK(run.joules("dma") ==
        Approx(run.statistic(".dma.bytes") * 1.9e-12 + run.statistic(".dma.packets") * 100e-12));
  CHECK(run.joules("hbm", "dynamic_joules") ==
        Approx((run.summary["hbm_read_bytes"].get<double>() + run.summary["hbm_write_bytes"].get<double>()) *
                   8 * 3.48e-12 +
               run.statistic(".activates") * 909e-12));
  CHECK(run.joules("leakage") == Approx((8 * 8 + 20) * run.seconds()));
  CHECK_THAT(run.text, Contains("energy ") && Contains("W a chip on average") &&
                           Contains(", trn2.48xlarge 35.7608 $/h (2026-01-31), "));
}

TEST_CASE("energy: the cells of fp32 and of fp8 in double rows are those of the statistics", "[energy]") {
  for (const Words& more : {Words{"--set", "workload.dtype=fp32"},
                            Words{"--set", "workload.dtype=fp8_e4m3", "--set", "workload.mode=double_row"}}) {
    const Run run("gemm/one_core_4096.yaml", kSmallGemm + more);
    const bool fp32 = more.size() == 2;
    const double macs = run.statistic(".hardware_flops") / 2, cells = run.statistic(".cell_cycles");
    CHECK(cells == (fp32 ? 4 * macs : macs / 2));
    CHECK(run.joules("tensor") == Approx(macs * (fp32 ? 1.69e-12 : 0.34e-12) + cells * 0.48e-12));
  }
}

TEST_CASE("energy: an all-reduce pays for every bit on a link, and nothing for arithmetic", "[energy]") {
  const Run run("collective/all_reduce_ring.yaml");
  CHECK(run.joules("tensor") == 0);
  CHECK(run.joules("link", "dynamic_joules") ==
        Approx(run.summary["links"]["wire_bytes"].get<double>() * 8 * 2e-12));
  // Four links along x and y and two along z leave each chip; a server of 4 x 4 has none along z.
  const double capacity = 16 * 4 * 128e9 * 8;
  CHECK(run.joules("link", "standing_joules") == Approx(capacity * run.seconds() * 3e-12));
  const double watts = run.energy["chip_watts"].get<double>();
  CHECK(watts > run.energy["standing_joules"].get<double>() / run.seconds() / 16);
  CHECK(watts < kWattsOfRuns / 2);
}

TEST_CASE("energy: a core of a server pays for its chip alone, and energy.csv lists the others as idle",
          "[energy]") {
  const Run server("gemm/one_core_4096.yaml", kSmallGemm + Words{"--machine", "trainium2_server"}),
      chip("gemm/one_core_4096.yaml", kSmallGemm + Words{"--machine", "trainium2_chip"});
  CHECK(chip.energy["idle_chips"] == 0);
  CHECK(server.energy["idle_chips"] == 15);
  CHECK(server.energy["dynamic_joules"].get<double>() == Approx(chip.energy["dynamic_joules"].get<double>()));
  // The chip of the server has links, and nothing else that the other one lacks.
  CHECK(server.energy["joules"].get<double>() - server.joules("link") ==
        Approx(chip.energy["joules"].get<double>()));
  CHECK(column_sum(server.file("energy.csv"), "joules") ==
        Approx(server.energy["joules"].get<double>() + server.energy["idle_joules"].get<double>()));
  CHECK_THAT(server.text, Contains("15 chips of the machine"));
  CHECK(chip.energy["wall_watts"].get<double>() < 2 * kWattsOfRuns);
}

TEST_CASE("energy: files, blocks and power over time add up to the same joules", "[energy]") {
  const Run run("collective/all_reduce_ring.yaml", {}, {});
  const double joules = run.energy["joules"].get<double>();
  CHECK(joules == Approx(run.energy["machine_watts"].get<double>() * run.seconds()).epsilon(1e-9));
  CHECK(column_sum(run.file("energy.csv"), "joules") == Approx(joules).epsilon(1e-9));
  double components = 0, provenances = 0;
  for (const auto& [name, component] : run.energy["components"].items())
    components += component["joules"].get<double>();
  for (const auto& [name, percent] : run.energy["provenance_percent"].items())
    provenances += percent.get<double>();
  CHECK(components == Approx(joules).epsilon(1e-9));
  CHECK(provenances == Approx(100));
  CHECK(column_sum(run.file("energy_regions.csv"), "dynamic_joules") ==
        Approx(run.energy["dynamic_joules"].get<double>()).epsilon(1e-9));
  double over_time = 0;
  std::istringstream lines(run.file("power.csv"));
  std::string line;
  std::getline(lines, line);
  while (std::getline(lines, line)) {
    std::istringstream cells(line);
    std::array<double, 3> values{};
    for (double& value : values) {
      std::string cell;
      std::getline(cells, cell, ',');
      value = std::stod(cell);
    }
    over_time += values[1] * 1e-9 * values[2];
  }
  CHECK(over_time == Approx(joules).epsilon(1e-6));
}

TEST_CASE("energy: twice the clock at half the voltage needs a quarter of the energy for the same work",
          "[energy]") {
  const Run nominal("gemm/one_core_4096.yaml", kSmallGemm);
  Words fast = kSmallGemm + Words{"--set", "machine.chip.energy.voltage=0.5", "--set",
                                  "machine.chip.core.tensor.clock=4.8 GHz"};
  const Run low("gemm/one_core_4096.yaml", fast);
  CHECK(low.seconds() < nominal.seconds());
  // The kernel plans its transfers for the clocks, so their packets and instructions may differ.
  for (const char* component : {"tensor", "vector", "scalar", "sbuf", "psum"})
    CHECK(low.joules(component) == Approx(nominal.joules(component) / 4));
  CHECK(low.joules("leakage") / low.seconds() == Approx(nominal.joules("leakage") / nominal.seconds() / 2));
}

TEST_CASE("energy: no energy parameter changes a time or a statistic", "[energy]") {
  Words more = kSmallGemm;
  for (const tahoma::runtime::EnergyTerm& term : tahoma::runtime::energy_terms()) {
    const std::string name = term.parameter;
    const bool power = name == "hbm.background" || name == "idle.core" || name == "idle.uncore";
    more.push_back("--set");
    more.push_back("machine.chip.energy." + name + (power ? "=123 W" : "=77 nJ"));
  }
  for (const char* set : {"machine.chip.energy.voltage=0.7", "machine.chip.energy.idle.gated=0.1",
                          "machine.rack.host=1 kW", "machine.rack.fans=0.5", "machine.rack.supply=0.6"})
    more = more + Words{"--set", set};
  const Run nominal("gemm/one_core_4096.yaml", kSmallGemm), changed("gemm/one_core_4096.yaml", more);
  CHECK(changed.file("stats.json") == nominal.file("stats.json"));
  CHECK(changed.summary["simulated_time_ns"] == nominal.summary["simulated_time_ns"]);
  CHECK(changed.energy["joules"] != nominal.energy["joules"]);
  CHECK(changed.energy["provenance_percent"]["chosen"].get<double>() == Approx(100));
}

TEST_CASE("energy: a folded run has the joules of the whole machine", "[energy]") {
  const Run folded("collective/all_reduce_ring.yaml"),
      whole("collective/all_reduce_ring.yaml", {"--fold", "off"});
  for (const char* file : {"summary.json", "energy.csv", "energy_regions.csv"})
    CHECK(folded.file(file) == whole.file(file));
}

TEST_CASE("energy: a repetition from the resolved configuration has the same energy and provenance",
          "[energy]") {
  const Run first("gemm/one_core_4096.yaml",
                  kSmallGemm + Words{"--set", "machine.chip.energy.tensor.bf16=0.6 pJ"});
  const Finished again =
      tahoma_in(first.dir.path(), {"run", "out/config.resolved.yaml", "--no-report", "--out", "again"});
  REQUIRE(again.status == 0);
  CHECK(contents(first.dir.path() / "again" / "summary.json") == first.file("summary.json"));
  CHECK(first.energy["provenance_percent"]["chosen"].get<double>() > 0);
}

TEST_CASE("energy: tokens and training steps have a price", "[energy][cost]") {
  const Run tokens("transformer/tiny.yaml");
  const json& million = tokens.summary["cost"]["per_million_tokens"];
  const double rate = tokens.summary["figures"]["tokens_per_second"]["value"].get<double>();
  CHECK(million["dollars"].get<double>() == Approx(35.7608 / 16 / 3600 * 1e6 / rate));
  CHECK(million["wall_joules"].get<double>() ==
        Approx(tokens.energy["wall_watts"].get<double>() * 1e6 / rate));
  CHECK(tokens.summary["cost"]["per_step"].is_null());
  CHECK_THAT(tokens.text, Contains("for a million tokens"));
  const Run training("transformer/training_tiny.yaml");
  const double step = training.summary["figures"]["step_time_ns"]["value"].get<double>() * 1e-9;
  CHECK(training.summary["cost"]["per_step"]["dollars"].get<double>() == Approx(35.7608 / 16 / 3600 * step));
  CHECK_THAT(training.text, Contains("for a step"));
}

TEST_CASE("energy: a run takes a price list, and refuses a bad one before it starts", "[energy][cost]") {
  const TempDir dir;
  const std::string list =
      dir.write("cheap.yaml", "extends: trn2\nprices: {dollars_per_hour: 16, date: 2027-01-01}\n");
  const Run cheap("gemm/one_core_4096.yaml", kSmallGemm + Words{"--prices", list});
  CHECK(cheap.summary["cost"]["dollars"].get<double>() == Approx(cheap.seconds() / 3600));
  const std::string bad = dir.write("bad.yaml", "extends: trn2\nprices:\n  dollars_per_hour: many\n");
  const Finished refused =
      tahoma_in(dir.path(), {"run", kWorkloads + "gemm/one_core_4096.yaml", "--prices", bad, "--out", "out"});
  CHECK(refused.status == 2);
  CHECK_THAT(refused.err, Contains("bad.yaml:3:") && Contains("E-CFG-004"));
  CHECK_FALSE(std::filesystem::exists(dir.path() / "out"));
  const Finished unknown = tahoma_in(
      dir.path(), {"run", kWorkloads + "gemm/one_core_4096.yaml", "--prices", "trn1", "--out", "out"});
  CHECK_THAT(unknown.err, Contains("E-CST-001"));
}

TEST_CASE("energy: tahoma params lists every energy with unit and source", "[energy]") {
  const TempDir dir;
  const Finished params = tahoma_in(dir.path(), {"params", "machine.chip.energy"});
  CHECK(params.status == 0);
  for (const char* part : {"machine.chip.energy.voltage", "machine.chip.energy.tensor.bf16", "590 fJ", "8 W",
                           "documented", "derived", "assumed", "Jouppi"})
    CHECK_THAT(params.out, Contains(part));
}

TEST_CASE("energy: tahoma compare shows the joules of both runs", "[energy]") {
  const Run nominal("gemm/one_core_4096.yaml", kSmallGemm),
      low("gemm/one_core_4096.yaml", kSmallGemm + Words{"--set", "machine.chip.energy.voltage=0.5"});
  const std::string a = nominal.dir / "out", b = low.dir / "out";
  const Finished text = tahoma_in(".", {"compare", a, b}),
                 data = tahoma_in(".", {"compare", a, b, "--format", "json"});
  CHECK_THAT(text.out, Contains("energy of the chips in use: ") && Contains("0 of "));
  CHECK(json::parse(data.out)["joules"] == json::array({nominal.energy["joules"], low.energy["joules"]}));
}
