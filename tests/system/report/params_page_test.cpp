// SPDX-License-Identifier: Apache-2.0
#include "cli/reference/params_page.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "model/base/error.h"
#include "tests/support/program/fake_workload.h"

using namespace tahoma;
using tests::fake_kinds;

TEST_CASE("params page: every declared parameter is listed, machine, run and each kind of workload",
          "[params]") {
  model::MachineParams machine;
  base::ParamTree tree("machine");
  machine.declare(tree);
  const auto page = nlohmann::json::parse(runtime::params_json("", fake_kinds()));
  std::multiset<std::string> paths;
  for (const auto& row : page) paths.insert(row["path"].get<std::string>());
  for (const std::string& path : tree.paths()) CHECK(paths.count(path) == 1);
  CHECK(paths.count("seed") == 1);
  CHECK(paths.count("workload.shard.k") == 2);  // one for each of the two kinds
  const std::string text = runtime::params_text("", fake_kinds());
  for (const std::string& path : paths) CHECK_THAT(text, Catch::Contains("  " + path + " = "));
}

TEST_CASE("params page: a range of uncertainty that a parameter declares is shown", "[params]") {
  const char* const path = "machine.chip.hbm.dram.timing.faw";
  CHECK_THAT(runtime::params_text(path, fake_kinds()), Catch::Contains("assumed (0.9 to 2 times): "));
  const auto page = nlohmann::json::parse(runtime::params_json(path, fake_kinds()));
  CHECK(page[0]["uncertainty"] == nlohmann::json{0.9, 2});
  CHECK_FALSE(
      nlohmann::json::parse(runtime::params_json("machine.chip.hbm.bandwidth", fake_kinds()))[0].contains(
          "uncertainty"));
}

TEST_CASE("params page: a row has type, default, range, sentence and provenance", "[params]") {
  const auto page = nlohmann::json::parse(runtime::params_json("machine.chip.hbm.bandwidth", fake_kinds()));
  REQUIRE(page.size() == 1);
  CHECK(page[0]["type"] == "bandwidth");
  CHECK(page[0]["default"] == "725 GB/s");
  CHECK(page[0]["range"] == "1 MB/s .. 100 TB/s");
  CHECK(page[0]["may_be_ideal"] == true);
  CHECK(page[0]["doc"] == "bytes per second of one stack");
  CHECK(page[0]["provenance"] == "derived");
  CHECK_THAT(page[0]["source"].get<std::string>(), Catch::Contains("2.9 TB/s"));
  CHECK_FALSE(page[0].contains("workload_kind"));
  const std::string text = runtime::params_text("machine.chip.hbm.bandwidth", fake_kinds());
  CHECK_THAT(text, Catch::Contains("machine.chip.hbm.bandwidth = 725 GB/s") && Catch::Contains("or ideal") &&
                       Catch::Contains("derived: 2.9 TB/s"));
}

TEST_CASE("params page: every parameter of a NeuronCore has the source of its value", "[params]") {
  model::MachineParams machine;
  base::ParamTree tree("machine");
  machine.declare(tree);
  const std::string text = runtime::params_text("machine.chip.core", fake_kinds());
  std::size_t shown = 0;
  for (const base::Param& param : tree.params()) {
    if (param.path.rfind("machine.chip.core.", 0) != 0) continue;
    CAPTURE(param.path);
    const std::string leaf = param.path.substr(param.path.rfind('.') + 1);
    CHECK((param.source.kind != base::Provenance::kChosen || leaf == "model" || leaf.rfind("waves", 0) == 0 ||
           leaf == "look_ahead"));
    CHECK_FALSE(param.source.note.empty());
    CHECK_THAT(text, Catch::Contains("  " + param.path + " = "));
    CHECK_THAT(text,
               Catch::Contains(std::string(base::name_of(param.source.kind)) + ": " + param.source.note));
    ++shown;
  }
  CHECK(shown > 100);
}

TEST_CASE("params page: a path selects a parameter or the group below it", "[params]") {
  const auto paths = [](const std::string& path) {
    std::string joined;
    for (const auto& row : nlohmann::json::parse(runtime::params_json(path, fake_kinds())))
      joined += row["path"].get<std::string>() + " ";
    return joined;
  };
  CHECK(paths("machine.torus") == "machine.torus.x machine.torus.y machine.torus.z ");
  CHECK(paths("machine.torus.x") == "machine.torus.x ");
  CHECK(paths("mode") == "mode ");
  const auto page = nlohmann::json::parse(runtime::params_json("workload.m", fake_kinds()));
  REQUIRE(page.size() == 2);
  CHECK(page[0]["workload_kind"] == "product");
  CHECK(page[1]["workload_kind"] == "other");
}

TEST_CASE("params page: one group of single instances is shown, or the requested one", "[params]") {
  const auto text = [](const std::string& path) { return runtime::params_text(path, fake_kinds()); };
  CHECK_THAT(text("machine.instances"), Catch::Contains("machine.instances.server0.chip00.hbm0.rate = 1\n"));
  CHECK_THAT(text("machine.instances"),
             Catch::Contains("machine.instances.server0.chip00.link.xp.dead = false\n") &&
                 Catch::Contains("machine.instances.server0.chip00.slow = 1\n"));
  const std::string one = text("machine.instances.server2.chip08.hbm3");
  CHECK_THAT(one, Catch::Contains("machine.instances.server2.chip08.hbm3.failed_channels"));
  CHECK_THAT(one, !Catch::Contains("chip00"));
}

TEST_CASE("params page: an unknown path names the nearest parameter or group", "[params]") {
  const auto message = [](const std::string& path) -> std::string {
    try {
      runtime::params_text(path, fake_kinds());
    } catch (const base::UserError& e) {
      return e.code + " " + e.message;
    }
    return "";
  };
  CHECK_THAT(message("machine.chip.hmb"),
             Catch::Contains("E-CFG-002") && Catch::Contains("'machine.chip.hbm'"));
  CHECK_THAT(message("machine.chip.hbm.stack"), Catch::Contains("'machine.chip.hbm.stacks'"));
  CHECK_THAT(message("machine.tor"), Catch::Contains("E-CFG-002"));  // a prefix of letters is not a group
}
