// SPDX-License-Identifier: Apache-2.0
// Collective schedules alone: their claims, proven symbolically on many groups; their cycles and slices; the
// slots that the lowering assigns. No machine.
#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <set>

#include "model/base/error.h"
#include "runtime/collective/algorithm/algorithm.h"
#include "runtime/collective/algorithm/cycles.h"
#include "runtime/collective/algorithm/recursive.h"
#include "runtime/collective/algorithm/slices.h"
#include "runtime/collective/cost/choice.h"
#include "runtime/collective/schedule/itinerary.h"
#include "runtime/collective/schedule/slots.h"
#include "tests/support/bench/grids.h"
#include "tests/support/bench/machine_fixture.h"
#include "tests/support/reference/symbolic.h"

using namespace tahoma;
using namespace tahoma::runtime::collective;
using tests::problem_for;

namespace {

// Every schedule of the algorithm for the operation, once.
template <class Visit>
void for_each_schedule(const AlgorithmRow& row, Operation operation, const Grid& grid, std::uint32_t channels,
                       Visit&& visit) {
  const Problem problem = problem_for(operation, grid.ranks());
  if (!row.refusal(problem, grid).empty()) return;
  std::set<const Schedule*> seen;
  double shares = 0;
  for (const ChannelPlan& channel : row.plan(problem, grid, channels)) {
    shares += channel.share;
    if (seen.insert(channel.schedule.get()).second) visit(*channel.schedule);
  }
  CHECK(shares == Approx(1));
}

}  // namespace

TEST_CASE("collective schedules: every algorithm performs its operation in every group", "[collective]") {
  std::set<Operation> performed;
  for (const Grid& grid : tests::grids())
    for (const AlgorithmRow& row : algorithms())
      for (const Operation operation : row.operations)
        for (const std::uint32_t channels : {1U, 16U})
          for_each_schedule(row, operation, grid, channels, [&](const Schedule& schedule) {
            INFO(grid.ranks() << " ranks, " << name_of(operation) << ": " << schedule.what);
            CHECK(test::fault_of(schedule).empty());
            performed.insert(operation);
          });
  CHECK(performed.size() == kOperations);
}

TEST_CASE("collective schedules: the symbolic reading finds a missing and a doubled contribution",
          "[collective]") {
  const Problem problem = problem_for(Operation::kAllReduce, 2);
  ScheduleBuilder missing(problem, 1, "nothing is combined");
  missing.settle(0, ChunkSet::one(0));
  missing.settle(1, ChunkSet::one(0));
  CHECK(test::fault_of(missing.finish()) == "rank 0 has 1 of 2 in chunk 0");
  ScheduleBuilder doubled(problem, 1, "combined twice");
  for (int i = 0; i < 2; ++i, doubled.next_round()) doubled.combine(0, 1, ChunkSet::one(0));
  doubled.settle(1, ChunkSet::one(0));
  doubled.next_round();
  doubled.copy(1, 0, ChunkSet::one(0));
  CHECK(test::fault_of(doubled.finish()) == "rank 0 has 3 of 2 in chunk 0");
}

TEST_CASE(
    "collective schedules: doubling distributes everything to all ranks, for powers of two and other numbers",
    "[collective]") {
  for (std::uint32_t ranks = 1; ranks <= 70; ++ranks)
    CHECK(test::fault_of(doubling(problem_for(Operation::kAllReduce, ranks))).empty());
}

TEST_CASE("collective cycles: one cycle runs along links even if its ends are not neighbours",
          "[collective]") {
  for (const auto& size : std::vector<std::vector<std::pair<std::uint32_t, double>>>{
           {{4, 1}, {4, 1}}, {{3, 1}, {4, 1}}, {{2, 1}, {3, 1}, {5, 1}}, {{4, 1}, {4, 1}, {4, 1}}}) {
    const Grid grid = tests::mesh_grid(size);
    const std::vector<Cycle> cycles = hamiltonian_cycles(grid);
    REQUIRE(cycles.size() == 1);
    const Cycle& cycle = cycles.front();
    CHECK(std::set<std::uint32_t>(cycle.begin(), cycle.end()).size() == grid.ranks());
    CHECK(cycle.size() == grid.ranks());
    for (std::size_t i = 0; i < cycle.size(); ++i) {
      std::uint32_t steps = 0;
      for (const GridAxis& axis : grid.axes)
        steps += static_cast<std::uint32_t>(
            std::abs(static_cast<int>(Grid::coordinate(axis, cycle[i])) -
                     static_cast<int>(Grid::coordinate(axis, cycle[(i + 1) % cycle.size()]))));
      CHECK(steps == 1);
    }
  }
}

TEST_CASE("collective cycles: a torus splits into as many Hamiltonian cycles as it has axes, no link twice",
          "[collective]") {
  const auto sizes = std::vector<std::vector<std::pair<std::uint32_t, double>>>{
      {{4, 1}, {4, 1}},         {{3, 1}, {3, 1}},         {{4, 1}, {6, 1}},        {{5, 1}, {3, 1}},
      {{4, 1}, {4, 1}, {4, 1}}, {{3, 1}, {4, 1}, {5, 1}}, {{8, 1}, {4, 1}, {4, 1}}};
  for (const auto& size : sizes) {
    const Grid grid = tests::torus_grid(size);
    const std::vector<Cycle> cycles = hamiltonian_cycles(grid);
    CHECK(cycles.size() == size.size());
    std::set<std::pair<std::uint32_t, std::uint32_t>> links;
    for (const Cycle& cycle : cycles) {
      CHECK(std::set<std::uint32_t>(cycle.begin(), cycle.end()).size() == grid.ranks());
      for (std::size_t i = 0; i < cycle.size(); ++i) {
        const std::uint32_t a = cycle[i], b = cycle[(i + 1) % cycle.size()];
        links.insert(std::minmax(a, b));
        const bool neighbours = std::any_of(grid.axes.begin(), grid.axes.end(), [&](const GridAxis& axis) {
          const std::uint32_t at = Grid::coordinate(axis, a);
          return b == Grid::moved(axis, a, at + 1) || b == Grid::moved(axis, a, at + axis.size - 1);
        });
        CHECK(neighbours);
      }
    }
    CHECK(links.size() == std::size_t{grid.ranks()} * size.size());
  }
}

TEST_CASE("collective slices: axes are loaded in proportion to their rates, down to the six-port bound",
          "[collective]") {
  struct Want {
    Grid grid;
    double excess;  // most excess of the busiest axis over the bound
  };
  const Want wants[] = {{tests::torus_grid({{4, 128e9}, {4, 128e9}, {4, 64e9}}), 1.02},
                        {tests::torus_grid({{4, 128e9}, {4, 128e9}}), 1.02},
                        {tests::torus_grid({{8, 100e9}, {4, 100e9}, {4, 50e9}}), 1.02},
                        {tests::torus_grid({{4, 128e9}, {2, 128e9}, {3, 64e9}}), 1.02}};
  for (const Want& want : wants) {
    const std::vector<Slice> slices = slices_of(want.grid, 16);
    const std::vector<double> loads = axis_loads(want.grid, slices);
    double busiest = 0, rates = 0, all = 0;
    for (std::size_t a = 0; a < loads.size(); ++a) {
      const double rate = want.grid.axes[a].rate * want.grid.axes[a].ways();
      busiest = std::max(busiest, loads[a] / rate);
      rates += rate;
      all += loads[a];
    }
    const double ranks = want.grid.ranks();
    CHECK(all == Approx((ranks - 1) / ranks));
    CHECK(busiest <= want.excess * all / rates);
  }
  // 2 x 63/64 x S / 640 GB/s, which is 3.30 ms for 1 GiB.
  const Grid ultraserver = wants[0].grid;
  const std::vector<double> loads = axis_loads(ultraserver, slices_of(ultraserver, 16));
  double seconds = 0;
  for (std::size_t a = 0; a < loads.size(); ++a)
    seconds = std::max(seconds, 2 * loads[a] * 0x1p30 / (2 * ultraserver.axes[a].rate));
  CHECK(seconds == Approx(2 * 63.0 / 64 * 0x1p30 / 640e9).epsilon(0.02));
}

// With slots in rotation, the next use of a slot must come in a later tick than its return.
TEST_CASE("collective slots: a slot is returned in an earlier tick than its next use", "[collective]") {
  std::size_t reused = 0;
  for (const Grid& grid : tests::grids())
    for (const AlgorithmRow& row : algorithms())
      for (const Operation operation : row.operations)
        for_each_schedule(row, operation, grid, 16, [&](const Schedule& schedule) {
          if (grid.ranks() > 24) return;
          const Itinerary it = follow(schedule);
          for (const std::uint32_t pieces : {1U, 3U, 8U})
            for (const Box& box : it.boxes) {
              const BoxSlots slots(box, schedule, pieces, true,
                                   [](std::uint32_t, std::uint32_t) { return true; });
              if (!slots.reused()) continue;
              ++reused;
              std::vector<std::uint32_t> tick(box.hops.size() * pieces);
              for (const std::uint32_t hop : box.hops)
                for (std::uint32_t p = 0; p < pieces; ++p)
                  tick[slots.number(hop, p)] = schedule.transfers[hop].round + p;
              bool kept = true;
              for (std::size_t i = 0; i + slots.slots() < tick.size(); ++i)
                kept = kept && tick[i] + box.lifetime < tick[i + slots.slots()];
              CHECK(kept);
            }
        });
  CHECK(reused > 0);
}

TEST_CASE("collective schedules: every arrival is awaited in a later round than it was sent",
          "[collective]") {
  for (const Grid& grid : tests::grids())
    for (const AlgorithmRow& row : algorithms())
      for (const Operation operation : row.operations)
        for_each_schedule(row, operation, grid, 2, [&](const Schedule& schedule) {
          const Itinerary it = follow(schedule);
          bool later = true, once = true;
          std::set<std::uint32_t> given_back;
          for (std::uint32_t i = 0; i < it.hops.size(); ++i) {
            for (const std::uint32_t a : it.hops[i].waits)
              later = later && schedule.transfers[a].round < schedule.transfers[i].round &&
                      schedule.transfers[a].to == schedule.transfers[i].from;
            if (it.hops[i].gives_back != kNone)
              once = once && given_back.insert(it.hops[i].gives_back).second;
          }
          INFO(grid.ranks() << " ranks, " << name_of(operation) << ": " << schedule.what);
          CHECK(later);
          CHECK(once);
        });
}

TEST_CASE("collective algorithms: invalid names, operations and groups are refused with valid ones",
          "[collective]") {
  const Grid grid = tests::list_grid(6);
  const Problem problem = problem_for(Operation::kAllReduce, 6);
  CHECK_THROWS_WITH(algorithm_named("star", problem, grid),
                    Catch::Contains("E-COL-001") && Catch::Contains("ring, kangaring, mesh"));
  CHECK_THROWS_WITH(algorithm_named("direct", problem, grid), Catch::Contains("E-COL-002"));
  CHECK_THROWS_WITH(algorithm_named("recursive", problem, grid),
                    Catch::Contains("E-COL-003") && Catch::Contains("powers of two"));
  CHECK_THROWS_WITH(algorithm_named("kangaring", problem_for(Operation::kAllReduce, 7), tests::list_grid(7)),
                    Catch::Contains("E-COL-003") && Catch::Contains("even"));
}

TEST_CASE("collective choice: auto follows the published sizes and best the shortest estimate",
          "[collective]") {
  const model::MachineParams machine = tests::default_machine();
  const Group group = groups_of(machine, RankKind::kChips, "machine").front();
  const CostModel model(machine, group);
  const Problem problem = problem_for(Operation::kAllReduce, group.ranks());
  const auto chosen = [&](Algorithm how, std::uint64_t bytes) {
    const Choice choice = choose(how, problem, bytes, 16, model);
    CHECK(!choice.why.empty());
    return std::string(choice.algorithm->name);
  };
  CHECK(chosen(Algorithm::kAuto, 999'999) == "mesh");
  CHECK(chosen(Algorithm::kAuto, 1'000'000) == "recursive");
  CHECK(chosen(Algorithm::kAuto, 56'000'000) == "kangaring");
  CHECK(chosen(Algorithm::kBest, std::uint64_t{1} << 30) == "hierarchical");
  // Never below the bound of the six ports.
  const Cost cost =
      model.of(algorithm_named("hierarchical", problem, group.grid).plan(problem, group.grid, 16),
               {std::uint64_t{1} << 30, {}});
  CHECK(cost.seconds > 3.30e-3);
  CHECK(cost.link == Approx(3.30e-3).epsilon(0.02));
}

TEST_CASE("collective choice: inside a chip auto takes a mesh up to 8 MiB, and for a reduce_scatter",
          "[collective]") {
  const model::MachineParams machine = tests::default_machine();
  const Group group = groups_of(machine, RankKind::kCores, "chips").front();
  const CostModel model(machine, group);
  const auto chosen = [&](std::uint64_t bytes, Operation operation = Operation::kAllReduce) {
    const Problem problem = problem_for(operation, group.ranks());
    return std::string(choose(Algorithm::kAuto, problem, bytes, 2, model).algorithm->name);
  };
  CHECK(chosen(512) == "mesh");
  CHECK(chosen(8 << 20) == "mesh");
  CHECK(chosen((8 << 20) + 64) == "recursive");
  CHECK(chosen(128 << 20) == "recursive");
  CHECK(chosen(128 << 20, Operation::kReduceScatter) == "mesh");
}

TEST_CASE("collective mesh: inputs are lent inside a chip, but not to a root, and sent otherwise",
          "[collective]") {
  const model::MachineParams machine = tests::default_machine();
  const auto lent = [&](RankKind kind, const char* over, Operation operation, Inputs inputs = Inputs::kStay) {
    const Group group = groups_of(machine, kind, over).front();
    Problem problem = problem_for(operation, group.ranks());
    problem.inputs = inputs;
    const auto plan = algorithm_named("mesh", problem, group.grid).plan(problem, group.grid, 1);
    const auto& transfers = plan.front().schedule->transfers;
    return std::count_if(transfers.begin(), transfers.end(),
                         [](const Transfer& t) { return t.kind == TransferKind::kLend; });
  };
  CHECK(lent(RankKind::kCores, "0-7", Operation::kAllReduce) == 8 * 7);
  CHECK(lent(RankKind::kCores, "0-7", Operation::kReduceScatter) == 8 * 7);
  CHECK(lent(RankKind::kCores, "0-7", Operation::kReduce) == 0);
  CHECK(lent(RankKind::kCores, "0-7", Operation::kAllReduce, Inputs::kSent) == 0);
  CHECK(lent(RankKind::kCores, "0-7", Operation::kReduceScatter, Inputs::kSent) == 0);
  CHECK(lent(RankKind::kCores, "0-15", Operation::kAllReduce) == 2 * 8 * 7);  // two chips
  CHECK(lent(RankKind::kChips, "0-3", Operation::kAllReduce) == 0);
}

TEST_CASE("collective operations: bus bandwidth follows nccom-test", "[collective]") {
  CHECK(bus_factor(Operation::kAllReduce, 8) == 2 * 7.0 / 8);
  for (const Operation operation : {Operation::kAllGather, Operation::kReduceScatter, Operation::kAllToAll,
                                    Operation::kGather, Operation::kScatter})
    CHECK(bus_factor(operation, 64) == 63.0 / 64);
  CHECK(bus_factor(Operation::kBroadcast, 64) == 1);
  for (const std::string& name : operation_names()) CHECK(name_of(*operation_from_name(name)) == name);
}

TEST_CASE("collective groups: ranks are chips or cores, in one group, several or lists", "[collective]") {
  const model::MachineParams machine = tests::default_machine();
  CHECK(groups_of(machine, RankKind::kChips, "machine").front().ranks() == 64);
  CHECK(groups_of(machine, RankKind::kCores, "machine").front().ranks() == 512);
  CHECK(groups_of(machine, RankKind::kLogicalCores, "servers").size() == 4);
  CHECK(groups_of(machine, RankKind::kLogicalCores, "servers")[1].cores[3] ==
        std::vector<std::uint32_t>{134, 135});
  CHECK(groups_of(machine, RankKind::kCores, "chips").size() == 64);
  const std::vector<Group> lists = groups_of(machine, RankKind::kChips, "0-3|8,5");
  CHECK(lists.size() == 2);
  CHECK(lists[1].cores[1].front() == 40);
  CHECK_THROWS_WITH(groups_of(machine, RankKind::kChips, "0-3|3"),
                    Catch::Contains("E-COL-020") && Catch::Contains("appears twice"));
  CHECK_THROWS_WITH(groups_of(machine, RankKind::kChips, "64"), Catch::Contains("expected below 64"));
  CHECK_THROWS_WITH(groups_of(machine, RankKind::kChips, "everyone"),
                    Catch::Contains("machine, servers, chips"));
  model::MachineParams faulty = machine;
  faulty.instances.chips["server1.chip03"].dead = true;
  CHECK_THROWS_WITH(
      groups_of(faulty, RankKind::kChips, "machine"),
      Catch::Contains("E-COL-020") && Catch::Contains("server1.chip03.core0") && Catch::Contains("dead"));
  CHECK(groups_of(faulty, RankKind::kChips, "0-18,20-63").front().ranks() == 63);
}

TEST_CASE("collective groups: the geometry of ranks is found in any list, on any fabric", "[collective]") {
  const auto grid = [](const model::MachineParams& machine, RankKind kind, const char* over) {
    return groups_of(machine, kind, over).front().grid.axes;
  };
  const auto names = [](const std::vector<GridAxis>& axes) {
    std::string all;
    for (const GridAxis& axis : axes)
      all += fmt::format("{}{}{} ", axis.name, axis.size, axis.closed ? "o" : "");
    return all;
  };
  model::MachineParams m = tests::default_machine();
  CHECK(names(grid(m, RankKind::kChips, "machine")) == "x4o y4o z4o ");
  CHECK(names(grid(m, RankKind::kCores, "servers")) == "core8 x4o y4o ");
  CHECK(names(grid(m, RankKind::kLogicalCores, "chips")) == "core4 ");
  CHECK(names(grid(m, RankKind::kChips, "0-3")) == "x4o ");
  CHECK(names(grid(m, RankKind::kChips, "0,16,32,48")) == "z4o ");
  CHECK(names(grid(m, RankKind::kChips, "0,4,1,5")) == "y2o x2o ");  // in the order of the list
  CHECK(names(grid(m, RankKind::kChips, "0-2")) == "x3 ");  // the return from the third takes two links
  CHECK(names(grid(m, RankKind::kChips, "0,2")) == "x2 ");
  CHECK(names(grid(m, RankKind::kChips, "0,1,4")) == "list3 ");
  CHECK(grid(m, RankKind::kChips, "machine")[2].stride == 16);
  CHECK(grid(m, RankKind::kChips, "machine")[0].rate ==
        Approx(2 * grid(m, RankKind::kChips, "machine")[2].rate));
  CHECK(grid(m, RankKind::kCores, "machine")[1].rate ==
        Approx(grid(m, RankKind::kChips, "machine")[0].rate / 8));
  model::MachineParams faulty = m;
  faulty.instances.links["server0.chip02.link.yp"].rate = 0.5;
  faulty.instances.links["server1.chip00.link.zp"].dead = true;
  CHECK(grid(faulty, RankKind::kChips, "machine")[1].rate ==
        Approx(grid(m, RankKind::kChips, "machine")[1].rate / 2));
  CHECK(names(grid(faulty, RankKind::kChips, "machine")) == "x4o y4o z4 ");
  m.link.topology = base::fabric_named("mesh");
  CHECK(names(grid(m, RankKind::kChips, "machine")) == "x4 y4 z4 ");
  m.link.topology = base::fabric_named("ring");
  CHECK(names(grid(m, RankKind::kChips, "machine")) == "x64o ");
  m.link.topology = base::fabric_named("switched");
  CHECK(names(grid(m, RankKind::kChips, "machine")) == "x4 y4 z4 ");
  CHECK(grid(m, RankKind::kChips, "machine")[0].ways() == 1);
}
