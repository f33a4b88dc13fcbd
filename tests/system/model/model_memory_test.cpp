// SPDX-License-Identifier: Apache-2.0
// The HBM as a constraint of `tahoma model`: a limit refuses what takes more, with the reason, and nothing
// else.
#include <catch2/catch.hpp>
#include <cmath>

#include "tests/support/program/model_study.h"

using namespace tahoma;
using namespace tahoma::tests;
using Catch::Contains;
using nlohmann::json;
using Words = std::vector<std::string>;

namespace {

const Words kSearch{"--search", "--exhaustive", "--tensor", "1,4", "--pipeline", "1,4", "--chips", "1"};

Words with_limit(double bytes) {
  Words words = kSearch;
  words.insert(words.end(), {"--most-hbm", std::to_string(static_cast<std::uint64_t>(bytes)) + " B"});
  return words;
}

}  // namespace

TEST_CASE("model memory: a limit leaves exactly the layouts that take at most as much", "[model]") {
  const ModelStudy model(8);
  const json all = model.layouts(kSearch);
  REQUIRE(all.size() >= 3);
  std::vector<double> footprints;
  for (const json& layout : all) footprints.push_back(layout["hbm_footprint_bytes"].get<double>());
  std::sort(footprints.begin(), footprints.end());
  REQUIRE(footprints.front() < footprints.back());
  const double limit = (footprints.front() + footprints.back()) / 2;
  const json left = model.layouts(with_limit(limit));
  std::vector<double> within;
  for (const json& layout : left) within.push_back(layout["hbm_footprint_bytes"].get<double>());
  std::sort(within.begin(), within.end());
  std::erase_if(footprints, [&](double bytes) { return bytes > limit; });
  CHECK(within == footprints);
  CHECK_THAT(contents(model.folder / "out/points.csv"),
             Contains("--most-hbm") && Contains("of a chip's HBM (weights"));
  CHECK_THAT(contents(model.folder / "out/index.html"), Contains("of a chip's HBM (weights"));
}

TEST_CASE("model memory: a limit that no layout can keep is refused", "[model]") {
  const ModelStudy model(8);
  check_refused(model.run({"--most-hbm", "4 MiB"}), "E-MDL-005");
  check_refused(model.run({"--most-hbm", "4"}), "E-CFG-003");
}
