// SPDX-License-Identifier: Apache-2.0
// A choice that is made once for groups that lie alike is the choice that each of them would have got by
// itself.
#include <catch2/catch.hpp>
#include <string>

#include "runtime/collective/cost/group_estimates.h"
#include "runtime/collective/lowering/planned_collective.h"
#include "tests/support/bench/grids.h"
#include "tests/support/bench/machine_fixture.h"

using namespace tahoma;
using namespace tahoma::runtime::collective;

namespace {

// The same core of the four chips of each row of a torus of 4 x 4 chips, for two of the cores.
constexpr const char* kRows =
    "0,8,16,24|32,40,48,56|64,72,80,88|96,104,112,120|3,11,19,27|35,43,51,59|67,75,83,91|99,107,115,123";

// Asks for every group, compares with the search of the group alone, and returns the number of searches.
std::size_t searches_of(const model::MachineParams& machine, const std::string& over, Operation operation) {
  Estimates estimates(machine);
  for (const Group& group : groups_of(machine, RankKind::kCores, over)) {
    const Problem problem = tests::problem_for(operation, group.ranks());
    const Choice alone =
        choose(Algorithm::kBest, problem, 1 << 18, queues_of(group), CostModel(machine, group));
    const Choice& chosen = estimates.choose(Algorithm::kBest, problem, group, 1 << 18, queues_of(group));
    INFO(group.name << ": " << chosen.why << "; alone: " << alone.why);
    CHECK(chosen.algorithm == alone.algorithm);
    CHECK(chosen.cost.seconds == alone.cost.seconds);
    const std::vector<ChannelPlan> plan = alone.algorithm->plan(problem, group.grid, alone.channels);
    CHECK(estimates.cost(*alone.algorithm, problem, group, {1 << 18}, plan).seconds == alone.cost.seconds);
    CHECK(estimates.cost(*alone.algorithm, problem, group, {1 << 16}, plan).seconds ==
          CostModel(machine, group).of(plan, {1 << 16}).seconds);
  }
  return estimates.searches();
}

}  // namespace

TEST_CASE("collective estimates: translated groups of a torus cost one search for each core",
          "[collective]") {
  const model::MachineParams machine = tests::machine_of(4, 4, 1);
  CHECK(searches_of(machine, kRows, Operation::kReduceScatter) == 2);
  CHECK(searches_of(machine, "chips", Operation::kAllReduce) == 1);
}

TEST_CASE("collective estimates: groups with a slow, a dead or another link are searched by themselves",
          "[collective]") {
  model::MachineParams machine = tests::machine_of(4, 4, 1);
  machine.instances.links["server0.chip05.link.xp"].rate = 0.5;  // in the second row
  CHECK(searches_of(machine, kRows, Operation::kAllReduce) == 4);
  machine.instances.links["server0.chip05.link.xp"].rate = 1;
  machine.instances.links["server0.chip05.link.xp"].dead = true;
  CHECK(searches_of(machine, kRows, Operation::kAllReduce) == 4);
  // A row, and two columns of which one is the other's translation.
  CHECK(searches_of(tests::machine_of(4, 4, 1), "0,8,16,24|32,64,96|40,72,104", Operation::kAllGather) == 2);
}
