// SPDX-License-Identifier: Apache-2.0
// The bottlenecks of a run: resources made ideal one at a time.
#include "studies/whatif/explain.h"

#include <catch2/catch.hpp>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "model/base/error.h"
#include "model/system/machine/machine_params.h"
#include "tests/support/subprocess.h"
#include "tests/support/temp_dir.h"

using namespace tahoma;

TEST_CASE("explain: every parameter that may be ideal belongs to one resource", "[explain]") {
  model::MachineParams machine;
  base::ParamTree tree("machine");
  machine.declare(tree);
  std::multiset<std::string> owned;
  for (const runtime::Resource& resource : runtime::resources_of(tree))
    if (resource.part_of.empty())
      for (const std::string& o : resource.overrides) owned.insert(o.substr(0, o.find('=')));
  for (const base::Param& param : tree.params()) {
    if (!param.may_be_ideal || param.path == "machine.time_limit" ||
        param.path.starts_with("machine.chip.hbm.dram.") || param.path.starts_with("machine.chip.area."))
      continue;  // times do not depend on areas
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

// No start phase matters to a vector engine and flat memory, so the band is one time.
TEST_CASE("tahoma explain: a change inside the band of start phases is marked", "[explain]") {
  const tests::TempDir dir;
  dir.write("case.yaml",
            "kind: vector_add\nmachine: trainium2_one_chip\nmode: timing\nworkload: {elements: 256000}\n");
  REQUIRE(tests::tahoma_in(dir.path(), {"run", "case.yaml", "--set", "machine.chip.hbm.model=flat"}).status ==
          0);
  const auto json = nlohmann::json::parse(
      tests::tahoma_in(dir.path(), {"explain", "out", "--repeat", "5", "--format", "json"}).out);
  CHECK(json["band"]["runs"] == 5);
  CHECK(json["band"]["low_ns"] == json["time_ns"]);
  CHECK(json["band"]["high_ns"] == json["time_ns"]);
  bool any = false, all = true;
  for (const auto& row : json["resources"]) {
    CHECK(row["distinguishable"].get<bool>() == (row["time_ns"] != json["time_ns"]));
    any = any || row["distinguishable"].get<bool>();
    all = all && row["distinguishable"].get<bool>();
  }
  CHECK(any);
  CHECK_FALSE(all);
  CHECK_THAT(tests::tahoma_in(dir.path(), {"explain", "out", "--repeat", "5"}).out,
             Catch::Contains("; not distinguishable"));
  const auto without =
      nlohmann::json::parse(tests::tahoma_in(dir.path(), {"explain", "out", "--format", "json"}).out);
  CHECK(without["band"].is_null());
}

// With ideal latencies of the DMA engines, the DRAM reports the acceptance of data later than it took place:
// data of the same chip, and of another.
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
  CHECK_THAT(run.out, Catch::Contains("explain ") && Catch::Contains("if " + name + " is ideal"));
}

TEST_CASE("tahoma explain: it leaves the folder that tahoma run --explain writes", "[explain]") {
  const tests::TempDir dir;
  dir.write("case.yaml",
            "kind: vector_add\nmachine: trainium2_one_chip\nworkload: {elements: 262144, columns: 1024}\n");
  REQUIRE(tests::tahoma_in(dir.path(), {"run", "case.yaml", "--explain", "--out", "at_once"}).status == 0);
  REQUIRE(tests::tahoma_in(dir.path(), {"run", "case.yaml", "--out", "later"}).status == 0);
  const auto files_in = [&](const char* folder) {
    std::map<std::string, std::string> files;
    for (const auto& entry : std::filesystem::directory_iterator(dir.path() / folder))
      files[entry.path().filename().string()] = tests::contents(entry.path());
    return files;
  };
  const auto listed = [](const std::string& manifest) {
    std::set<std::string> names;
    for (const auto& name : nlohmann::json::parse(manifest)["files"]) names.insert(name.get<std::string>());
    return names;
  };
  const auto before = files_in("later");
  REQUIRE(tests::tahoma_in(dir.path(), {"explain", "later"}).status == 0);
  auto later = files_in("later"), at_once = files_in("at_once");
  CHECK(listed(later["manifest.json"]) == listed(at_once["manifest.json"]));
  CHECK(before.size() + 1 == later.size());
  CHECK(before.at("summary.txt") != later["summary.txt"]);
  for (auto* files : {&later, &at_once}) {
    files->erase("manifest.json");  // the command line
    auto explanation = nlohmann::ordered_json::parse((*files)["explain.json"]);
    explanation.erase("run");  // the folder, or the case
    (*files)["explain.json"] = explanation.dump();
  }
  for (const auto& [name, text] : at_once) {
    INFO(name);
    CHECK((later[name] == text));
  }
  // A second explanation changes nothing, and the folder is still one that a run may replace.
  REQUIRE(tests::tahoma_in(dir.path(), {"explain", "later"}).status == 0);
  CHECK(files_in("later")["summary.txt"] == at_once["summary.txt"]);
  CHECK(tests::tahoma_in(dir.path(), {"run", "case.yaml", "--out", "later"}).status == 0);
}

TEST_CASE("explain: a repetition that fails is named, and no bottleneck is", "[explain]") {
  runtime::Explanation explanation;
  explanation.name = "out";
  explanation.run.time = base::Duration{1'000};
  explanation.everything.resource.name = "all of these";
  explanation.rows = {
      {{"HBM", "", "", {}}, {.time = base::Duration{600}, .instructions = 1, .regions = {}, .failure = ""}},
      {{"DMA", "", "", {}}, {.time = {}, .regions = {}, .failure = "a link has no rate", .refused = true}}};
  REQUIRE(explanation.bottlenecks().has_value());
  CHECK(explanation.bottlenecks()->whole.resource == "HBM");
  CHECK_NOTHROW(explanation.require_complete());  // the configuration refuses to idealise DMA
  explanation.rows.push_back(
      {{"NeuronLink", "", "", {}}, {.time = {}, .regions = {}, .failure = "ended by signal 11"}});
  CHECK_FALSE(explanation.bottlenecks().has_value());
  CHECK_THAT(runtime::explanation_text(explanation), Catch::Contains("FAILED: ended by signal 11"));
  try {
    explanation.require_complete();
    FAIL("it is not complete");
  } catch (const base::UserError& error) {
    CHECK(error.code == "E-CLI-007");
    CHECK(error.status == base::ExitStatus::kCheckFailed);
    CHECK_THAT(error.what(), Catch::Contains("NeuronLink: ended by signal 11"));
  }
}

TEST_CASE("explain: where no region has the bottleneck of the run, the text says so", "[explain]") {
  runtime::Explanation explanation;
  explanation.run.time = base::Duration{1'000};
  explanation.run.instructions = 1;
  explanation.run.regions = {{"a", base::Duration{400}}, {"b", base::Duration{400}}};
  explanation.everything = {{"all of these", "", "", {}}, explanation.run};
  const auto regions = [](std::int64_t a, std::int64_t b) {
    return std::vector<std::pair<std::string, base::Duration>>{{"a", base::Duration{a}},
                                                               {"b", base::Duration{b}}};
  };
  explanation.rows = {
      {{"DMA", "", "", {}},
       {.time = base::Duration{700}, .instructions = 1, .regions = regions(380, 380), .failure = ""}},
      {{"HBM", "", "", {}},
       {.time = base::Duration{800}, .instructions = 1, .regions = regions(300, 300), .failure = ""}}};
  const std::string text = runtime::explanation_text(explanation);
  CHECK_THAT(text, Catch::Contains("bottleneck: DMA (30.0 % shorter if ideal)"));
  CHECK_THAT(text, Catch::Contains("HBM (25.0 % shorter if ideal); DMA 5.0 %"));
  CHECK_THAT(text, Catch::Contains("DMA is the bottleneck of the run, though of no region"));
  explanation.rows[0].run.regions = regions(200, 380);
  CHECK(runtime::explanation_text(explanation).find("though of no region") == std::string::npos);
}

TEST_CASE("tahoma explain: a folder without a run is refused", "[explain]") {
  const tests::TempDir dir;
  const auto run = tests::tahoma_in(dir.path(), {"explain", "."});
  CHECK(run.status == 2);
  CHECK_THAT(run.err, Catch::Contains("E-CLI-006"));
}
