// SPDX-License-Identifier: Apache-2.0
// Pages: their data add up to summary.json, they are self-contained, and they can be written again.
#include "report/page/page.h"

#include <catch2/catch.hpp>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>

#include "model/base/topology/topologies.h"
#include "report/page/assets.h"
#include "report/page/detail.h"
#include "report/store/run_store.h"
#include "report/summary/summary_json.h"
#include "tests/support/bench/page_totals.h"
#include "tests/support/program/fake_run.h"
#include "tests/support/program/file_of_run.h"
#include "tests/support/program/page_data.h"
#include "tests/support/subprocess.h"

using namespace tahoma;
using namespace tahoma::tests;
using Catch::Contains, Catch::StartsWith;
using nlohmann::json;

namespace {

// Four chips, all of whose cores work and whose partial sums are transferred over links.
constexpr const char* kFourChips = R"(kind: gemm
mode: timing
machine: {extends: trainium2_ultraserver, torus: {x: 2, y: 2, z: 1}}
workload: {m: 512, n: 512, k: 4096, dtype: bf16, shard: {m: 2, n: 2, k: 8}}
)";
constexpr const char* kOneCore =
    "kind: gemm\nmode: timing\nmachine: trainium2_one_chip\nworkload: {m: 256, n: 256, k: 256}\n";

// `words` are the arguments of `tahoma run`, in the working directory.
void run_for_page(const std::string& text, std::vector<std::string> words) {
  std::ofstream("case.yaml") << text;
  words.insert(words.begin(), {"run", "case.yaml"});
  const Finished run = tahoma_in(".", words);
  INFO(run.err);
  REQUIRE(run.status == 0);
}

json json_in(const std::string& file) { return json::parse(file_of_run(file)); }

void check_refused(const std::vector<std::string>& words, const std::string& code) {
  const Finished f = tahoma_in(".", words);
  INFO(f.err);
  CHECK(f.status == 2);
  CHECK_THAT(f.err, Contains("error[" + code + "]"));
}

}  // namespace

TEST_CASE("page: its data add up to summary.json", "[page]") {
  run_for_page(kFourChips, {"--out", "four"});
  const json summary = json_in("four/summary.json"), detail = json_in("four/report.json");
  CHECK(summary["cores"]["active"] == 32);
  CHECK(summary["links"]["bytes"] > 0);
  const std::vector<std::string> differences = PageTotals(summary, detail).differences();
  INFO((differences.empty() ? "" : differences.front()));
  CHECK(differences.empty());
  const json data = page_data(contents("four/report.html"));
  CHECK(data["runs"][0]["summary"] == summary);
  CHECK(data["runs"][0]["detail"] == detail);
}

TEST_CASE("page: it draws every link of every topology", "[page]") {
  for (const std::string& topology : base::fabric_choice().names) {
    INFO(topology);
    std::ofstream("links.csv") << "from,to,rate\n0,1,x\n1,2,y\n2,3,x\n3,switch0,z\nswitch0,0,z\n";
    std::vector<std::string> words{"--out", topology, "--set", "machine.link.topology=" + topology};
    if (topology == "listed")
      words.insert(words.end(), {"--set", "machine.link.links=links.csv", "--set", "machine.link.vcs=2"});
    run_for_page(kFourChips, words);
    const json links = json_in(topology + "/report.json")["links"];
    CHECK(links["topology"] == topology);
    REQUIRE(links["list"].size() == links["total"]);
    std::set<std::size_t> drawn;
    for (const json& view : links["views"])
      for (const json& picture : view["pictures"]) {
        std::set<std::uint32_t> nodes;
        for (const json& node : picture["nodes"]) nodes.insert(node[0].get<std::uint32_t>());
        for (const json& line : picture["lines"]) {
          const auto number = line[0].get<std::size_t>();
          drawn.insert(number);
          CHECK(nodes.count(links["list"][number]["from"].get<std::uint32_t>()) == 1);
          CHECK(nodes.count(links["list"][number]["to"].get<std::uint32_t>()) == 1);
        }
      }
    CHECK(drawn.size() == links["list"].size());
  }
}

TEST_CASE("page: any total that differs is found", "[page]") {
  run_for_page(kFourChips, {"--out", "four"});
  const json summary = json_in("four/summary.json"), detail = json_in("four/report.json");
  const auto differs = [&](const char* pointer, double factor) {
    json changed = detail;
    json& value = changed[json::json_pointer(pointer)];
    value = value.get<double>() * factor + 1;
    return !PageTotals(summary, changed).differences().empty();
  };
  for (const char* pointer :
       {"/engines/percent/3/0/0", "/engines/instructions/0/0", "/hbm/stacks/0/read_bytes",
        "/hbm/stacks/1/write_bytes", "/links/list/0/bytes", "/links/total", "/traffic/matrix/0/1"}) {
    INFO(pointer);
    CHECK(differs(pointer, 2));
  }
  json changed = detail;
  for (json& window : changed["engines"]["series"]["tensor"]["mean"]) window = 2 * window.get<double>() + 1;
  CHECK_FALSE(PageTotals(summary, changed).differences().empty());
  changed = detail;
  changed["links"]["list"].erase(0);
  CHECK_FALSE(PageTotals(summary, changed).differences().empty());
}

TEST_CASE("page: a finished run gives its page again, and two runs give a common page", "[page]") {
  run_for_page(kOneCore, {"--out", "a"});
  run_for_page(kOneCore, {"--out", "b", "--set", "machine.chip.core.tensor.clock=1.2 GHz"});
  const std::string page = contents("a/report.html");
  std::filesystem::remove("a/report.html");
  REQUIRE(tahoma_in(".", {"report", "a"}).status == 0);
  CHECK(contents("a/report.html") == page);
  REQUIRE(tahoma_in(".", {"report", "a", "b", "--out", "both.html"}).status == 0);
  const json data = page_data(contents("both.html"));
  CHECK(data["kind"] == "compare");
  CHECK(data["runs"][0]["summary"] == json_in("a/summary.json"));
  CHECK(data["runs"][1]["detail"] == json_in("b/report.json"));
  REQUIRE(tahoma_in(".", {"report", "a", "b"}).status == 0);
  CHECK(contents("report-compare.html") == contents("both.html"));
}

TEST_CASE("page: folders without a run and foreign files are refused", "[page]") {
  run_for_page(kOneCore, {"--out", "plain", "--slim"});
  CHECK_FALSE(std::filesystem::exists("plain/report.html"));
  CHECK_FALSE(runtime::RunStore("plain").has("report.json"));
  check_refused({"report", "nowhere"}, "E-REP-001");
  check_refused({"report", "plain"}, "E-REP-001");
  std::ofstream("plain/report.json") << R"({"schema_version": 1})";
  check_refused({"report", "plain"}, "E-REP-002");
  std::filesystem::copy("plain/summary.json", "plain/old.json");
  std::ofstream("plain/summary.json") << R"({"schema_version": 1, "simulated_time_ns": 1})";
  std::ofstream("plain/report.json") << R"({"schema_version": 1, "window_ns": 1})";
  check_refused({"report", "plain"}, "E-REP-002");
  std::filesystem::rename("plain/old.json", "plain/summary.json");
  std::ofstream("plain/report.json") << "not JSON";
  check_refused({"report", "plain"}, "E-REP-002");
}

TEST_CASE("page: it is one file that loads nothing", "[page]") {
  const std::string page = runtime::run_page({{"", "w", "{}", "{}"}});
  const std::string own = std::string(runtime::assets::kTemplate) + std::string(runtime::assets::kStyle) +
                          std::string(runtime::assets::kScript);
  CHECK_FALSE(std::regex_search(own, std::regex(R"((src|href)\s*=\s*["'](https?:|//))")));
  for (const char* word : {"@import", "url(", "fetch(", "XMLHttpRequest", "import(", "localStorage"}) {
    INFO(word);
    CHECK(own.find(word) == std::string::npos);
  }
  CHECK_THAT(page, Contains("Chart.js v") && Contains("MIT"));
  CHECK_THAT(page, !Contains("{{"
                             "title}}") &&
                       !Contains("{{"
                                 "data}}"));
  CHECK(page.find("http-equiv") == std::string::npos);
}

TEST_CASE("page: no name can end its data or become markup", "[page]") {
  const std::string name = "</script><script>alert(1)</script><!-- & \"";
  const std::string page = runtime::page_of(name, json{{"kind", "run"}, {"name", name}}.dump());
  CHECK(page_data(page)["name"] == name);
  CHECK_THAT(page, !Contains("<script>alert"));
  CHECK_THAT(page, Contains("<title>&lt;/script>"));
}

TEST_CASE("page: large machines are shown by chips, and the page states it", "[page]") {
  model::MachineParams machine = fake_machine();
  machine.torus = {16, 12, 1};
  const std::uint64_t stacks = machine.chip.hbm.stacks;
  runtime::Simulated run;
  run.measurement.elapsed = 100_us;
  for (std::uint32_t core = 0; core < machine.cores(); ++core)
    run.measurement.engines.push_back(
        fake_engine(base::EngineKind::kTensor, core, 1_us * (core % 8 + 1), 0_us, 100_us));
  for (std::uint64_t n = 0; n < machine.chips() * stacks; ++n) {
    base::HbmMeasurement& stack = run.measurement.hbm.emplace_back();
    stack.path = "server0.chip" + std::to_string(n / stacks) + ".hbm" + std::to_string(n % stacks);
    stack.read_bytes = 100 + n;
    stack.peak = 100_GBps;
    stack.series = {10_us, {10_us, n % 2 == 0 ? 10_us : 0_us}};
  }
  const json engines = runtime::engines_detail(machine, run);
  CHECK(engines["grouped"] == true);
  REQUIRE(engines["cores"].size() == machine.chips());
  CHECK(engines["cores"][5]["active"] == machine.chip.cores);
  CHECK(engines["percent"][5][0][0] == 4.5);  // 1 to 8 % busy
  const json hbm = runtime::hbm_detail(machine, run.measurement);
  CHECK(hbm["grouped"] == true);
  REQUIRE(hbm["stacks"].size() == machine.chips());
  CHECK(hbm["total"] == machine.chips() * stacks);
  CHECK(hbm["stacks"][0]["busy"][0] == 100);
  CHECK(hbm["stacks"][0]["busy"][1] == 50);
  std::uint64_t bytes = 0;
  for (const json& stack : hbm["stacks"]) bytes += stack["read_bytes"].get<std::uint64_t>();
  CHECK(bytes == [&] {
    std::uint64_t all = 0;
    for (const auto& stack : run.measurement.hbm) all += stack.read_bytes;
    return all;
  }());
}

TEST_CASE("page: parameters that differ from the preset are listed, and relevant assumptions", "[page]") {
  run_for_page(kOneCore, {"--out", "set", "--set", "machine.chip.hbm.model=flat", "--set",
                          "machine.chip.core.gpsimd.turnaround=3 cyc"});
  const json detail = json_in("set/report.json");
  std::vector<std::string> paths;
  for (const json& p : detail["machine"]["differs"]) paths.push_back(p["path"]);
  CHECK(paths == std::vector<std::string>{"machine.chip.core.gpsimd.turnaround", "machine.chip.hbm.model"});
  CHECK(detail["machine"]["preset"] == "trainium2_one_chip");
  CHECK(detail["machine"]["differs"][1]["value"] == "flat");
  CHECK(detail["machine"]["differs"][1]["preset"] == "dram");
  // A GEMM on one core uses the tensor engine, but no link and no DRAM of a flat stack. A value that the user
  // sets is not an assumption.
  std::vector<std::string> assumed;
  for (const json& p : detail["ledger"]["assumed"]) assumed.push_back(p["path"]);
  const auto any = [&](const std::string& prefix) {
    return std::any_of(assumed.begin(), assumed.end(),
                       [&](const std::string& p) { return p.starts_with(prefix); });
  };
  CHECK(any("machine.chip.core.tensor."));
  CHECK_FALSE(any("machine.link."));
  CHECK_FALSE(any("machine.chip.hbm.dram."));
  CHECK_FALSE(any("machine.chip.core.gpsimd.turnaround"));
  CHECK(detail["ledger"]["untouched"] > 0);
}

TEST_CASE("page: differences from the preset do not depend on how the machine was read", "[page]") {
  run_for_page(kOneCore, {"--out", "plain"});
  CHECK(json_in("plain/report.json")["machine"]["differs"].empty());
  // The resolved configuration names no file, so its preset is found by the machine's name.
  const auto rerun = [](const std::string& folder) {
    const Finished again =
        tahoma_in(".", {"run", folder + "/config.resolved.yaml", "--out", folder + "-again"});
    INFO(again.err);
    REQUIRE(again.status == 0);
    return json_in(folder + "-again/report.json")["machine"];
  };
  CHECK(rerun("plain") == json_in("plain/report.json")["machine"]);
  run_for_page(kOneCore, {"--out", "set", "--set", "machine.chip.hbm.stacks=2"});
  const json set = json_in("set/report.json")["machine"];
  REQUIRE(set["differs"].size() == 1);
  CHECK(set["differs"][0]["path"] == "machine.chip.hbm.stacks");
  CHECK(rerun("set") == set);
  // A file beside the workload with the preset's name is not the preset.
  std::ofstream("trainium2_one_chip.yaml")
      << "extends: trainium2_ultraserver\nmachine: {chip: {hbm: {stacks: 2}}}\n";
  run_for_page(
      "kind: gemm\nmode: timing\nmachine: {extends: trainium2_one_chip, name: trainium2_ultraserver}\n"
      "workload: {m: 256, n: 256, k: 256}\n",
      {"--out", "beside"});
  const json beside = json_in("beside/report.json")["machine"];
  CHECK(beside["preset"] == "trainium2_ultraserver");
  REQUIRE(beside["differs"].size() == 1);
  CHECK(beside["differs"][0]["path"] == "machine.chip.hbm.stacks");
  std::filesystem::remove("trainium2_one_chip.yaml");
}

TEST_CASE("page: a sweep has an index with its points and their pages", "[page]") {
  std::ofstream("case.yaml") << kOneCore;
  std::vector<std::string> words{
      "sweep",   "case.yaml",          "--sweep", "machine.chip.core.tensor.clock=1.2GHz,2.4GHz",
      "--sweep", "workload.k=128,256", "--out",   "slim"};
  REQUIRE(tahoma_in(".", words).status == 0);
  for (const json& point : page_data(contents("slim/index.html"))["points"]) CHECK(point["link"].is_null());
  words.back() = "swept";
  words.emplace_back("--full-points");
  const Finished sweep = tahoma_in(".", words);
  INFO(sweep.err);
  REQUIRE(sweep.status == 0);
  const json data = page_data(contents("swept/index.html"));
  CHECK(data["kind"] == "sweep");
  REQUIRE(data["points"].size() == 4);
  REQUIRE(data["axes"].size() == 2);
  const auto at = std::find_if(data["metrics"].begin(), data["metrics"].end(),
                               [](const json& metric) { return metric["name"] == "simulated_time_ns"; }) -
                  data["metrics"].begin();
  for (const json& point : data["points"]) {
    const std::string link = point["link"];
    CHECK(std::filesystem::exists("swept/" + link));
    const json summary = json_in("swept/" + link.substr(0, link.rfind('/')) + "/summary.json");
    CHECK(point["values"][static_cast<std::size_t>(at)] == summary["simulated_time_ns"]);
  }
  const std::string page = contents("swept/index.html");
  REQUIRE(tahoma_in(".", {"report", "swept"}).status == 0);
  CHECK(contents("swept/index.html") == page);
}
