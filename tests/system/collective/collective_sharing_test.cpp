// SPDX-License-Identifier: Apache-2.0
// Groups that share chips: their knowledge of each other, and the effects on the plan, its estimate and
// its pieces.
#include <catch2/catch.hpp>

#include "runtime/collective/algorithm/algorithm.h"
#include "runtime/collective/cost/cost.h"
#include "runtime/collective/lowering/planned_collective.h"
#include "tests/support/bench/machine_fixture.h"

using namespace tahoma;
using namespace tahoma::runtime::collective;

namespace {

// Core `slot` of each of the first eight chips: two rows of a server's torus.
std::string slots(std::uint32_t count) {
  std::string over;
  for (std::uint32_t slot = 0; slot < count; ++slot)
    for (std::uint32_t chip = 0; chip < 8; ++chip)
      over += (chip > 0 ? "," : slot > 0 ? "|" : "") + std::to_string(8 * chip + slot);
  return over;
}

const Problem kProblem{Operation::kReduceScatter, 8, 0, {}};

Cost cost_of(const model::MachineParams& machine, const Group& group, const AlgorithmRow& row,
             std::uint64_t bytes) {
  return CostModel(machine, group).of(row.plan(kProblem, group.grid, 2 * group.sharers), {bytes});
}

}  // namespace

TEST_CASE("collective groups: groups on several chips share the links of their common chips",
          "[collective]") {
  const auto groups = groups_of(tests::default_machine(), RankKind::kCores, "0,8|1,9,17|16,24|2-5|40,41");
  const std::vector<std::pair<std::uint32_t, std::uint32_t>> want{{2, 0}, {2, 1}, {2, 1}, {1, 0}, {1, 0}};
  for (std::size_t g = 0; g < groups.size(); ++g) {
    INFO(groups[g].name);
    CHECK(groups[g].sharers == want[g].first);
    CHECK(groups[g].share == want[g].second);
  }
  for (const Group& group : groups_of(tests::default_machine(), RankKind::kChips, "servers"))
    CHECK(group.sharers == 1);
}

TEST_CASE("collective groups: a list is recognised as a product at any position", "[collective]") {
  for (const char* over : {"0-7", "8-15", "24-31", "56-63"}) {
    INFO(over);
    const Grid grid = groups_of(tests::default_machine(), RankKind::kChips, over).front().grid;
    REQUIRE(grid.axes.size() == 2);
    CHECK((grid.axes[0].name == "x" && grid.axes[0].size == 4 && grid.axes[0].closed));
    CHECK((grid.axes[1].name == "y" && grid.axes[1].size == 2));
  }
}

TEST_CASE("collective plans: groups that share links have parts of one plan", "[collective]") {
  const auto groups = groups_of(tests::default_machine(), RankKind::kCores, slots(8));
  for (const AlgorithmRow& row : algorithms()) {
    if (!row.performs(kProblem.operation)) continue;
    INFO(row.name);
    const std::vector<ChannelPlan> together = row.plan(kProblem, groups.front().grid, 16);
    std::size_t next = 0;
    for (const Group& group : groups) {
      double shares = 0;
      for (const ChannelPlan& channel : part_of_plan(together, group.share, 2)) {
        CHECK(channel.schedule == together[next++].schedule);
        shares += channel.share;
      }
      CHECK(shares == Approx(1));
    }
    CHECK(next == together.size());
  }
}

TEST_CASE("collective cost: groups that share links wait for each other's bytes", "[collective]") {
  const model::MachineParams machine = tests::default_machine();
  const Group alone = groups_of(machine, RankKind::kCores, slots(1)).front(),
              one_of_eight = groups_of(machine, RankKind::kCores, slots(8)).front();
  const std::string name = "ring";
  const AlgorithmRow& ring = algorithm_named(name, kProblem, alone.grid);
  const std::uint64_t bytes = 2UL << 20;
  // Each of them sends 7/16 of its bytes in each direction of a link, and a header with each packet.
  const double link = cost_of(machine, alone, ring, bytes).link;
  CHECK(link == Approx(7.0 / 16 * 0x1p21 / 128e9).epsilon(0.01));
  CHECK(cost_of(machine, one_of_eight, ring, bytes).link == Approx(8 * link));
}

TEST_CASE("collective pieces: a group with a part of the links has finer pieces", "[collective]") {
  const model::MachineParams machine = tests::default_machine();
  const auto piece = [&](std::uint32_t groups) {
    const Group group = groups_of(machine, RankKind::kCores, slots(groups)).front();
    Spec spec;
    spec.problem = kProblem;
    spec.algorithm = &algorithm_named("ring", kProblem, group.grid);
    spec.elements = 1 << 19;
    return cut_up(spec, group).channels.front().piece;
  };
  CHECK(piece(1) == 4 * piece(8));  // 128 KiB of a chunk and channel: 1 piece, or as for 1 MiB
}
