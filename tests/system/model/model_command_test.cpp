// SPDX-License-Identifier: Apache-2.0
// `tahoma model` as a user sees it: what it writes, that its figures are those of its runs, that scaled
// layers cost what executed ones cost, and what it refuses.
#include <algorithm>
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "tests/support/program/model_study.h"

using namespace tahoma;
using namespace tahoma::tests;
using Catch::Contains;
using nlohmann::json;

TEST_CASE("model command: the first line answers, and the figures are those of the runs", "[model]") {
  const ModelStudy model(2);
  const Finished f = model.run({"--out", "out"});
  REQUIRE(f.status == 0);
  CHECK_THAT(f.out.substr(0, f.out.find('\n')), Contains("TTFT") && Contains("TPOT") && Contains("tokens/s"));
  CHECK(json::parse(contents(model.folder / "out/manifest.json"))["program"] == "tahoma model");
  const json layout = model.summary("out")["layouts"][0];
  for (const auto& [phase, time, figure] : {std::tuple{"prefill", "ttft_ns", "time_to_first_token_ns"},
                                            std::tuple{"decode", "tpot_ns", "time_per_output_token_ns"}}) {
    REQUIRE(layout[phase]["runs"].size() == 1);  // both layers are executed
    const json run = model.summary("out/study/" + layout[phase]["runs"][0].get<std::string>());
    CHECK(layout[time].get<double>() == Approx(run["simulated_time_ns"].get<double>()).epsilon(1e-12));
    CHECK(run["figures"][figure]["value"].get<double>() == Approx(layout[time].get<double>()).epsilon(1e-12));
    CHECK(layout[phase]["flops"].get<double>() == run["flops"]["useful"].get<double>());
    CHECK(layout[phase]["dollars"].get<double>() == run["cost"]["dollars"].get<double>());
    CHECK(layout[phase]["wall_joules"].get<double>() == run["cost"]["wall_joules"].get<double>());
  }
  CHECK(layout["tokens_per_second"].get<double>() == Approx(4e9 / layout["tpot_ns"].get<double>()));
  // A decoding step makes one token of each of the four sequences.
  CHECK(layout["joules_per_token"].get<double>() ==
        Approx(layout["decode"]["wall_joules"].get<double>() / 4));
  CHECK(layout["dollars_per_million_tokens"].get<double>() ==
        Approx(layout["decode"]["dollars"].get<double>() / 4 * 1e6));
}

TEST_CASE("model command: a scaled model does the work of an executed one, in nearly its time", "[model]") {
  const ModelStudy model(6);
  REQUIRE(model.run({"--out", "scaled"}).status == 0);
  REQUIRE(model.run({"--out", "executed", "--layers", "6"}).status == 0);
  const json scaled = model.summary("scaled")["layouts"][0],
             executed = model.summary("executed")["layouts"][0];
  CHECK(scaled["prefill"]["executed_layers"] == 2);
  CHECK(executed["prefill"]["executed_layers"] == 6);
  check_scaled(scaled, executed);
}

TEST_CASE("model command: a row for each number of chips and each tensor degree", "[model]") {
  const ModelStudy model(2);
  REQUIRE(model.run({"--out", "out", "--chips", "1,2", "--tensor", "2,4", "--batch", "8"}).status == 0);
  const json layouts = model.summary("out")["layouts"];
  REQUIRE(layouts.size() == 4);
  for (const json& layout : layouts)
    CHECK(layout["tensor"].get<int>() * layout["data"].get<int>() == layout["chips"].get<int>() * 4);
}

TEST_CASE("model command: values are checked in functional mode", "[model]") {
  const ModelStudy model(2);
  REQUIRE(model.run({"--out", "out", "--mode", "functional", "--data", "1"}).status == 0);
  const json run = model.summary("out/study/" +
                                 model.summary("out")["layouts"][0]["decode"]["runs"][0].get<std::string>());
  CHECK(run["golden"]["outcome"] == "passed");
}

TEST_CASE("model command: an earlier result is replaced, anything else is not", "[model]") {
  const ModelStudy model(2);
  REQUIRE(model.run({"--out", "out"}).status == 0);
  CHECK(model.run({"--out", "out"}).status == 0);
  model.folder.write("out/mine.txt", "precious");
  check_refused(model.run({"--out", "out"}), "E-OUT-002");
  CHECK(contents(model.folder / "out/mine.txt") == "precious");
}

TEST_CASE("model command: what cannot be run is refused before anything is written", "[model]") {
  const ModelStudy model(2);
  check_refused(model.run({"--chips", "5"}), "E-HFC-010");
  check_refused(model.run({"--lnc", "4"}), "E-HFC-010");
  check_refused(model.run({"--chips", "4", "--data", "3"}), "E-HFC-011");
  check_refused(model.run({"--tensor", "3"}), "E-HFC-012");
  check_refused(model.run({"--prompt", "5000"}), "E-HFC-005");
  check_refused(model.run({"--mode", "fast"}), "E-CLI-003");
  check_refused(model.run({"--prefill-hbm", "tape"}), "E-CLI-003");
  check_refused(model.run({"--set", "machine.chip.hbm.model=flat"}), "E-CLI-003");
  check_refused(model.run({"--exhaustive"}), "E-CLI-003");
  check_refused(model.run({"--most-ttft", "1 ms"}), "E-CLI-003");
  check_refused(model.run({"--generate", "4"}), "E-CLI-003");
  check_refused(model.run({"--search", "--most-ttft", "5"}), "E-CFG-003");
  check_refused(model.run({"--weights", "nowhere"}), "E-HFC-022");
  check_refused(model.run({"--weights", ".", "--prompt-ids", "1,2000"}), "E-HFC-022");
  check_refused(model.run({"--weights", ".", "--prompt-ids", "1,two"}), "E-HFC-022");
  check_refused(model.run({"--weights", ".", "--prompt-ids", "1,2,3,4"}), "E-HFC-030");
  check_refused(model.run({"--mode", "functional", "--set", "workload.inputs.q=missing.npy"}), "E-HFC-020");
  CHECK(!std::filesystem::exists(model.folder / "out-model"));
}

TEST_CASE("model command: replicas do the same, so one of them is simulated for all", "[model]") {
  const ModelStudy model(2);
  REQUIRE(model.run({"--out", "out", "--chips", "2", "--tensor", "4", "--batch", "8"}).status == 0);
  const json decode = model.summary("out")["layouts"][0]["decode"];
  const std::string run = "out/study/" + decode["runs"][0].get<std::string>();
  const json folding = json::parse(contents(model.folder / (run + "/manifest.json")))["folding"];
  CHECK(folding["chips"] == 2);
  CHECK(folding["simulated"] == 1);
}

TEST_CASE("model command: other accelerators stand beside the rows and say that nothing was emulated",
          "[model]") {
  const ModelStudy model(2);
  const Finished f = model.run({"--beside", "h200,trainium2:2", "--out", "out"});
  REQUIRE(f.status == 0);
  CHECK_THAT(f.out, Contains("nothing below is emulated") && Contains("NVIDIA H200"));
  const json beside = model.summary("out")["beside"];
  REQUIRE(beside.size() == 2);
  CHECK(beside[0]["emulated"] == false);
  CHECK(beside[1]["devices"] == 2);
  CHECK(beside[0]["batch"] == 4);
  const std::string table = contents(model.folder / "out/beside.csv");
  CHECK(std::count(table.begin(), table.end(), '\n') == 3);
  check_refused(model.run({"--beside", "h2000", "--out", "other"}), "E-CRD-001");
}

TEST_CASE("model command: a table of steps is what tahoma serve takes", "[model]") {
  const ModelStudy model(2);
  const Finished f = model.run(
      {"--steps", "--batch", "4,1", "--prompt", "128,256", "--context", "128,64,256", "--out", "out"});
  INFO(f.err);
  REQUIRE(f.status == 0);
  const json summary = model.summary("out");
  // Three contexts of two batches, and two prompts.
  REQUIRE(summary["steps"].size() == 3 * 2 + 2);
  for (const json& step : summary["steps"]) {
    const std::string run = step["runs"].back();
    const json executed = json::parse(contents(model.folder / ("out/study/runs/" + run + "/summary.json")));
    CHECK(step["time_ns"].get<double>() ==
          Approx(executed["simulated_time_ns"].get<double>()).epsilon(1e-12));
  }
  // Two layers of keys and values, four heads of 64 in bf16: 2,048 bytes of a token in 96 GiB; weights are
  // small.
  const double tokens = summary["kv_blocks"].get<double>() * summary["kv_block_tokens"].get<double>();
  CHECK(tokens == Approx(96.0 * (1 << 30) / 2048).epsilon(0.01));
  const Finished served =
      tahoma_in(model.folder.path().string(), {"serve", "out/server.yaml", "--out", "served"});
  INFO(served.err);
  CHECK(served.status == 0);
}

TEST_CASE("model command: chunks of prompts behind contexts are steps of tahoma serve", "[model]") {
  const ModelStudy model(2);
  const Finished f = model.run({"--steps", "--batch", "1,2", "--prompt", "128,256", "--context", "64,128,256",
                                "--chunk", "64,128", "--out", "out"});
  INFO(f.err);
  REQUIRE(f.status == 0);
  // Two batches at three contexts, and two chunks behind nothing and behind each of them.
  const json summary = model.summary("out");
  REQUIRE(summary["steps"].size() == 2 * 3 + 2 * 4);
  std::map<std::uint64_t, double> behind;  // of chunks of 128 tokens
  for (const json& step : summary["steps"])
    if (step["phase"] == "prefill" && step["tokens"] == 128)
      behind[step["context"].get<std::uint64_t>()] = step["time_ns"].get<double>();
  REQUIRE(behind.size() == 4);
  CHECK(behind[256] > behind[0]);
  CHECK_THAT(contents(model.folder / "out/server.yaml"), Catch::Contains("prefill: chunked, chunk: 128") &&
                                                             Catch::Contains("chunk_multiple: 64") &&
                                                             !Catch::Contains("difference"));
  const Finished served =
      tahoma_in(model.folder.path().string(), {"serve", "out/server.yaml", "--out", "served"});
  INFO(served.err);
  CHECK(served.status == 0);
}

TEST_CASE("model command: steps that no server could use are refused", "[model]") {
  const ModelStudy model(2);
  const std::vector<std::string> chunks{"--steps", "--batch",   "1,4",   "--prompt",
                                        "64,128",  "--context", "64,128"};
  check_refused(model.run(with(chunks, {"--chunk", "128"})), "E-HFC-013");
  check_refused(model.run(with(chunks, {"--chunk", "48,64"})), "E-HFC-013");
  check_refused(
      model.run({"--steps", "--batch", "1,4", "--prompt", "64,256", "--context", "64,128", "--chunk", "64"}),
      "E-HFC-013");
  check_refused(model.run({"--chunk", "64"}), "E-CLI-003");
  check_refused(model.run({"--steps", "--batch", "2,4", "--context", "64,128"}), "E-HFC-013");
  check_refused(model.run({"--steps", "--batch", "1,4", "--context", "64"}), "E-HFC-013");
  check_refused(model.run({"--steps", "--batch", "1,4", "--context", "128,256"}), "E-HFC-013");
  check_refused(model.run({"--steps", "--batch", "1,4", "--context", "64,80"}), "E-HFC-013");
  check_refused(model.run({"--steps", "--batch", "1", "--chips", "1,2", "--context", "64,128"}), "E-CLI-003");
}
