// SPDX-License-Identifier: Apache-2.0
// Tests what `tahoma model --keep` keeps: a second command executes nothing that is there, a change executes
// what it concerns, and sweep.db has the points as a sweep does.
#include <catch2/catch.hpp>
#include <filesystem>

#include "studies/sweep/results/store.h"
#include "tests/support/program/model_study.h"

using namespace tahoma;
using namespace tahoma::tests;
using Catch::Contains;
using nlohmann::json;
using Words = std::vector<std::string>;
namespace fs = std::filesystem;

namespace {

Words kept(const std::string& out, const Words& more = {}) {
  Words words{"--tensor", "2,4", "--keep", "kept", "--out", out};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

void check_counts(const Finished& f, int executed, int taken) {
  INFO(f.err);
  REQUIRE(f.status == 0);
  CHECK_THAT(f.out,
             Contains(std::to_string(executed) + " runs executed, " + std::to_string(taken) + " taken"));
}

std::vector<runtime::Store::Row> rows_in(const ModelStudy& model) {
  return runtime::Store::read(model.folder / "kept/sweep.db");
}

}  // namespace

TEST_CASE("model keep: a second study executes nothing and answers the same", "[model]") {
  const ModelStudy model(4);  // two layouts, two phases, one and two layers
  check_counts(model.run(kept("first")), 8, 0);
  check_counts(model.run(kept("second")), 0, 8);
  for (const char* file : {"summary.json", "summary.txt", "points.csv", "index.html"})
    CHECK(contents(model.folder / ("first/" + std::string(file))) ==
          contents(model.folder / ("second/" + std::string(file))));
  // A page refers to the runs where they are.
  CHECK_THAT(contents(model.folder / "first/index.html"), Contains("../kept/runs/"));
}

TEST_CASE("model keep: only what a change concerns is executed", "[model]") {
  const ModelStudy model(4);
  check_counts(model.run(kept("out")), 8, 0);
  check_counts(model.run(kept("out", {"--batch", "8"})), 4, 4);                        // other decoding steps
  check_counts(model.run(kept("out", {"--set", "machine.chip.hbm.stacks=2"})), 8, 0);  // another machine
  check_counts(model.run(kept("out", {"--set", "machine.chip.hbm.stacks=2"})), 0, 8);
  fs::remove_all(model.folder / "kept/runs/chips1_lnc2_tensor2_data2_decode_batch4_context64_layers2");
  check_counts(model.run(kept("out", {"--set", "machine.chip.hbm.stacks=2"})), 1, 7);
}

TEST_CASE("model keep: sweep.db has the points of all studies, and tahoma compare reads it", "[model]") {
  const ModelStudy model(4);
  check_counts(model.run(kept("out", {"--search", "--pipeline", "1,3"})), 8, 0);
  const json layouts = model.summary("out")["layouts"];
  const auto rows = rows_in(model);
  REQUIRE(rows.size() == 4);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    CHECK(rows[i].number == i);
    CHECK(rows[i].id.size() == 32);
    CHECK(rows[i].status == (i < 2 ? "done" : "failed"));
    CHECK(rows[i].workload == "config.json");
  }
  for (std::size_t i = 0; i < layouts.size(); ++i) {
    CHECK(rows[i].metrics.at("tpot_ns") == layouts[i]["tpot_ns"].get<double>());
    CHECK(rows[i].metrics.at("hbm_footprint_bytes") == layouts[i]["hbm_footprint_bytes"].get<double>());
  }
  CHECK_THAT(rows[2].reason, Contains("at most their number"));
  // A later study adds its points and changes those that it has, too.
  check_counts(model.run(kept("out", {"--batch", "8"})), 4, 4);
  CHECK(rows_in(model).size() == 6);
  check_counts(model.run(kept("out")), 0, 8);
  CHECK(rows_in(model).size() == 6);
  const Finished same =
      tahoma_in(model.folder.path().string(), {"compare", "kept", "kept", "--metric", "tpot_ns"});
  INFO(same.err);
  CHECK(same.status == 0);
  CHECK_THAT(same.out, Contains("equal in tpot_ns at all 4 points"));
}

TEST_CASE("model keep: a study without --keep has its sweep.db in the output", "[model]") {
  const ModelStudy model(2);
  REQUIRE(model.run({"--out", "out"}).status == 0);
  CHECK(runtime::Store::read(model.folder / "out/study/sweep.db").size() == 1);
}

TEST_CASE("model keep: a folder that cannot keep a study is refused", "[model]") {
  const ModelStudy model(2);
  check_refused(model.run({"--keep", "out/study", "--out", "out"}), "E-HFC-016");
  check_refused(model.run({"--keep", "out", "--out", "out"}), "E-HFC-016");
  fs::create_directory(model.folder / "sweep");
  model.folder.write("sweep/sweep.yaml", "sweep: {}\n");
  check_refused(model.run({"--keep", "sweep", "--out", "out"}), "E-HFC-016");
  check_refused(model.run({"--keep", "kept", "--weights", ".", "--prompt-ids", "1"}), "E-CLI-003");
  CHECK(!fs::exists(model.folder / "out"));
}
