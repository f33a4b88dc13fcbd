// SPDX-License-Identifier: Apache-2.0
// The bottlenecks of a run: resources made ideal one at a time.
#include "runtime/whatif/explain.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <set>

#include "model/system/machine_params.h"
#include "tests/support/subprocess.h"
#include "tests/support/temp_dir.h"

using namespace tahoma;

TEST_CASE("explain: every parameter that may be ideal belongs to one resource", "[explain]") {
  model::MachineParams machine;
  base::ParamTree tree("machine");
  machine.declare(tree);
  std::multiset<std::string> owned;
  for (const runtime::Resource& resource : runtime::resources_of(tree))
    for (const std::string& o : resource.overrides) owned.insert(o.substr(0, o.find('=')));
  for (const base::Param& param : tree.params()) {
    if (!param.may_be_ideal || param.path == "machine.time_limit" ||
        param.path.starts_with("machine.chip.hbm.dram."))
      continue;
    INFO(param.path);
    CHECK(owned.count(param.path) == 1);
  }
}

TEST_CASE("tahoma explain: the resource that a run waits for comes first, all together save most",
          "[explain]") {
  const tests::TempDir dir;
  dir.write(
      "case.yaml",
      "kind: vector_add\nmachine: trainium2_one_chip\nmode: timing\nworkload: {elements: 1048576, columns: "
      "1024}\n");
  REQUIRE(tests::tahoma_in(dir.path(), {"run", "case.yaml", "--set", "machine.chip.hbm.model=flat", "--set",
                                        "machine.chip.hbm.bandwidth=20 GB/s"})
              .status == 0);
  const auto text = tests::tahoma_in(dir.path(), {"explain", "out"});
  CHECK(text.status == 0);
  CHECK_THAT(text.out, Catch::Contains(", bottleneck: HBM ("));
  const auto json =
      nlohmann::json::parse(tests::tahoma_in(dir.path(), {"explain", "out", "--format", "json"}).out);
  const double whole = json["time_ns"];
  CHECK(json["resources"][0]["resource"] == "HBM");
  for (const auto& row : json["resources"]) {
    CHECK(row["failure"].get<std::string>().empty());
    CHECK(row["time_ns"].get<double>() >= json["resources"][0]["time_ns"].get<double>());
  }
  CHECK(json["all_ideal"]["time_ns"].get<double>() < json["resources"][0]["time_ns"].get<double>());
  CHECK(json["resources"][0]["time_ns"].get<double>() < 0.5 * whole);
}

// With ideal latencies of the DMA engines, the DRAM reports the acceptance of data later than it took place: data of the same chip,
// and of another.
TEST_CASE("tahoma explain: every resource can be ideal beside DRAM, and none is slower", "[explain]") {
  const tests::TempDir dir;
  const auto [workload, setting] = GENERATE(table<std::string, std::string>(
      {{"rms_norm/one_core", "seed=1"}, {"collective/reduce_scatter", "workload.bytes=1 MiB"}}));
  INFO(workload);
  REQUIRE(tests::tahoma_in(dir.path(),
                           {"run", std::string(TAHOMA_SOURCE_DIR) + "/workloads/" + workload + ".yaml",
                            "--set", setting, "--mode", "timing"})
              .status == 0);
  const auto json =
      nlohmann::json::parse(tests::tahoma_in(dir.path(), {"explain", "out", "--format", "json"}).out);
  const double whole = json["time_ns"];
  for (const auto& row : json["resources"]) {
    INFO(row["resource"]);
    CHECK(row["failure"].get<std::string>().empty());
    CHECK(row["time_ns"].get<double>() <= whole);
  }
}

TEST_CASE("tahoma explain: the work of an engine is a resource, too", "[explain]") {
  const tests::TempDir dir;
  dir.write("case.yaml",
            "kind: gemm\nmachine: trainium2_one_chip\nmode: timing\nworkload: {m: 1024, k: 1024, n: 2048, "
            "shard: {m: 1, n: 1, k: 1}}\n");
  REQUIRE(
      tests::tahoma_in(dir.path(), {"run", "case.yaml", "--set", "machine.chip.core.tensor.clock=100 MHz"})
          .status == 0);
  const auto text = tests::tahoma_in(dir.path(), {"explain", "out"});
  CHECK_THAT(text.out, Catch::Contains(", bottleneck: tensor engine ("));
}

TEST_CASE(
    "tahoma run --explain: summary, page data and explain.json name the bottleneck that tahoma explain names",
    "[explain]") {
  const tests::TempDir dir;
  dir.write("case.yaml",
            "kind: vector_add\nmachine: trainium2_one_chip\nworkload: {elements: 262144, columns: 1024}\n");
  const auto run = tests::tahoma_in(dir.path(), {"run", "case.yaml", "--explain"});
  REQUIRE(run.status == 0);
  const auto parsed = [&](const char* file) {
    return nlohmann::json::parse(tests::contents(dir.path() / "out" / file));
  };
  const auto explained =
      nlohmann::json::parse(tests::tahoma_in(dir.path(), {"explain", "out", "--format", "json"}).out);
  CHECK(parsed("summary.json")["bottleneck"] == explained["bottleneck"]);
  CHECK(parsed("explain.json")["bottleneck"] == explained["bottleneck"]);
  REQUIRE(parsed("summary.json")["regions"].size() == explained["regions"].size());
  for (std::size_t n = 0; n < explained["regions"].size(); ++n)
    CHECK(parsed("summary.json")["regions"][n]["bottleneck"] == explained["regions"][n]["bottleneck"]);
  const std::string name = explained["bottleneck"]["resource"];
  CHECK_THAT(run.out, Catch::Contains(", bottleneck: " + name + " ("));
}

TEST_CASE("tahoma explain: a folder without a run is refused", "[explain]") {
  const tests::TempDir dir;
  const auto run = tests::tahoma_in(dir.path(), {"explain", "."});
  CHECK(run.status == 2);
  CHECK_THAT(run.err, Catch::Contains("E-CLI-006"));
}
