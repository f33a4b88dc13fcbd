// SPDX-License-Identifier: Apache-2.0
// Placements of `tahoma model`: which chips a tensor-parallel group occupies, what that does to its
// collectives, and that equal placements are executed once.
#include <catch2/catch.hpp>

#include "studies/model/search/layout_space.h"
#include "tests/support/program/model_study.h"

using namespace tahoma;
using namespace tahoma::tests;
using nlohmann::json;
using runtime::LayoutAxes, runtime::GroupPlacement;

namespace {

std::vector<GroupPlacement> placements_on(std::uint64_t chips) {
  LayoutAxes axes;
  axes.chips = {chips};
  axes.placements = {GroupPlacement::kRows, GroupPlacement::kColumns, GroupPlacement::kDepth,
                     GroupPlacement::kSpread};
  std::vector<GroupPlacement> found;
  for (const runtime::LayoutSpace& space : axes.spaces()) found.push_back(space.placement);
  return found;
}

}  // namespace

TEST_CASE("model placement: orders that a machine cannot tell apart are one", "[model]") {
  using P = GroupPlacement;
  CHECK(placements_on(1) == std::vector<P>{P::kRows});
  CHECK(placements_on(2) == std::vector<P>{P::kRows, P::kSpread});
  CHECK(placements_on(4) == std::vector<P>{P::kRows, P::kColumns, P::kSpread});
  CHECK(placements_on(64) == std::vector<P>{P::kRows, P::kColumns, P::kDepth, P::kSpread});
}

TEST_CASE("model placement: a group that fills a chip stays off the links, and a spread one does not",
          "[model]") {
  const ModelStudy model(2);
  const json layouts = model.layouts(
      {"--chips", "4", "--tensor", "4", "--batch", "16", "--placement", "rows,columns,depth,spread"});
  REQUIRE(layouts.size() == 3);
  const json &rows = layouts[0], &columns = layouts[1], &spread = layouts[2];
  CHECK(rows["placement"] == "rows");
  CHECK(spread["placement"] == "spread");
  for (const char* phase : {"prefill", "decode"}) {
    CHECK(rows[phase]["link_bytes"] == 0);
    CHECK(spread[phase]["link_bytes"].get<double>() > 0);
    // A group on a chip is on it in either order.
    CHECK(columns[phase]["time_ns"] == rows[phase]["time_ns"]);
    // The same work, in another time.
    CHECK(spread[phase]["flops"] == rows[phase]["flops"]);
    CHECK(spread[phase]["time_ns"] != rows[phase]["time_ns"]);
  }
  // Two all_gathers and two reduce_scatters of 64 rows of 512 in bf16 in each of two layers: each of four
  // ranks receives what the three others have, over at least one link, in four replicas.
  CHECK(spread["prefill"]["link_bytes"].get<double>() >= 4.0 * (4 * 2) * 3 * 64 * 512 * 2);
}

TEST_CASE("model placement: a word that is no placement is refused", "[model]") {
  const ModelStudy model(2);
  const Finished f = model.run({"--placement", "row"});
  check_refused(f, "E-CLI-003");
  CHECK_THAT(f.err, Catch::Contains("rows"));
}
