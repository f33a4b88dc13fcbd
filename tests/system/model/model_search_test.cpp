// SPDX-License-Identifier: Apache-2.0
// The search of `tahoma model` over executed points: pruning loses nothing of the front that all points have,
// over every axis, and no closed form exceeds what it bounds.
#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <set>
#include <sstream>

#include "tests/support/program/model_study.h"

using namespace tahoma;
using namespace tahoma::tests;
using nlohmann::json;
using Words = std::vector<std::string>;

namespace {

// All axes, over a slow memory: then bytes are most of the time, and the closed forms are close enough to
// prune.
const Words kSpace{"--search",
                   "--chips",
                   "1,2",
                   "--tensor",
                   "2,4",
                   "--pipeline",
                   "1,2",
                   "--microbatches",
                   "2",
                   "--placement",
                   "rows,spread",
                   "--dtype",
                   "bf16,fp8_e4m3",
                   "--decode-hbm",
                   "flat",
                   "--set",
                   "machine.chip.hbm.bandwidth=2GB/s",
                   "--batch",
                   "8",
                   "--keep",
                   "kept"};

// The rows of points.csv by column; a reason, the last column, may contain commas.
std::vector<std::map<std::string, std::string>> points_in(const ModelStudy& model, const std::string& out) {
  std::istringstream lines(contents(model.folder / (out + "/points.csv")));
  std::vector<std::string> names;
  std::vector<std::map<std::string, std::string>> rows;
  for (std::string line; std::getline(lines, line);) {
    std::istringstream cells(line);
    std::vector<std::string> row;
    for (std::string cell; std::getline(cells, cell, ',');) row.push_back(cell);
    if (names.empty()) {
      names = row;
      continue;
    }
    auto& named = rows.emplace_back();
    for (std::size_t i = 0; i < std::min(names.size(), row.size()); ++i) named[names[i]] = row[i];
  }
  return rows;
}

// Everything about a layout but its figures.
json axes_of(json layout) {
  for (const char* figure : {"prefill", "decode"}) layout.erase(figure);
  return layout;
}

std::set<std::string> front_of(const json& layouts) {
  std::set<std::string> front;
  for (const json& layout : layouts)
    if (layout["front"] == true) front.insert(axes_of(layout).dump());
  return front;
}

}  // namespace

TEST_CASE("model search: pruning loses no point of the executed front, and no bound exceeds what it bounds",
          "[model]") {
  const ModelStudy model(2);
  const json all = model.layouts(with(kSpace, {"--exhaustive"}), "all"), some = model.layouts(kSpace, "some");
  CHECK(some.size() < all.size());
  CHECK(front_of(some) == front_of(all));
  // The space has several values of each axis.
  for (const char* axis : {"chips", "tensor", "data", "pipeline", "microbatches", "placement", "weights"}) {
    std::set<json> values;
    for (const json& layout : all) values.insert(layout[axis]);
    CAPTURE(axis);
    CHECK(values.size() > 1);
  }
  std::size_t executed = 0;
  for (const auto& point : points_in(model, "all")) {
    if (point.at("status") != "done") continue;
    ++executed;
    for (const std::string time : {"ttft", "tpot"}) {
      INFO(json(point).dump());
      CHECK(std::stod(point.at(time + "_bound_ns")) > 0);
      CHECK(std::stod(point.at(time + "_bound_ns")) <= std::stod(point.at(time + "_ns")));
    }
  }
  CHECK(executed == all.size());
}

TEST_CASE("model search: fp8 weights save a byte for each weight that a decoding step reads", "[model]") {
  const ModelStudy model(4);
  const json layouts = model.layouts({"--tensor", "4", "--dtype", "bf16,fp8_e4m3"});
  REQUIRE(layouts.size() == 2);
  const double weights = 4 * (512 * (2 * 512.0 + 2 * 256) + 3 * 512.0 * 1024);
  CHECK(layouts[0]["decode"]["hbm_bytes"].get<double>() - layouts[1]["decode"]["hbm_bytes"].get<double>() ==
        Approx(weights).epsilon(0.01));
  CHECK(layouts[0]["hbm_footprint_bytes"].get<double>() - layouts[1]["hbm_footprint_bytes"].get<double>() ==
        Approx(weights).epsilon(1e-9));
  check_refused(model.run({"--dtype", "fp8_e4m3", "--weights", ".", "--prompt-ids", "1,2,3,4,5,6,7,8"}),
                "E-HFC-017");
  check_refused(model.run({"--dtype", "fp8"}), "E-CLI-003");
}

TEST_CASE("model search: groups share the tokens of a sequence, within the bounds", "[model]") {
  const ModelStudy model(2);
  const Words shared{"--tensor", "2", "--sequence", "1,2", "--prompt", "1024", "--batch", "2"};
  const json layouts = model.layouts(shared);
  REQUIRE(layouts.size() == 2);
  CHECK(layouts[1]["sequence"] == 2);
  CHECK(layouts[1]["data"] == 1);
  // Half of a prompt's tokens on each of two groups.
  CHECK(layouts[1]["ttft_ns"].get<double>() < layouts[0]["ttft_ns"].get<double>());
  // One replica of two groups has the weights as often as two replicas of one, and of each prompt's logits
  // one.
  CHECK(layouts[1]["prefill"]["flops"].get<double>() < layouts[0]["prefill"]["flops"].get<double>());
  for (const auto& point : points_in(model, "out"))
    for (const std::string time : {"ttft", "tpot"}) {
      INFO(json(point).dump());
      CHECK(std::stod(point.at(time + "_bound_ns")) > 0);
      CHECK(std::stod(point.at(time + "_bound_ns")) <= std::stod(point.at(time + "_ns")));
    }
  check_refused(model.run({"--sequence", "8", "--prompt", "1024"}), "E-HFC-014");
  CHECK(model.run({"--sequence", "2", "--prompt", "100"}).status == 0);  // a padded prompt
}
