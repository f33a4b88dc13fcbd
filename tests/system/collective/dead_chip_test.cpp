// SPDX-License-Identifier: Apache-2.0
// Collectives over the chips that a dead chip leaves: dimension order does not lead around it between all of
// them. Every operation has an algorithm that sends only where there is a route, and its values are right.
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "runtime/collective/algorithm/algorithm.h"
#include "runtime/collective/schedule/group.h"
#include "tests/support/bench/machine_fixture.h"
#include "tests/support/reference/symbolic.h"
#include "tests/support/subprocess.h"
#include "tests/support/temp_dir.h"

using namespace tahoma;
using namespace tahoma::runtime::collective;
using Catch::Contains;

namespace {

constexpr std::uint32_t kTorusChips = 16;  // 4 x 4

std::string all_but(std::uint32_t chip) {
  if (chip == 0) return fmt::format("1-{}", kTorusChips - 1);
  if (chip + 1 == kTorusChips) return fmt::format("0-{}", chip - 1);
  return fmt::format("0-{},{}-{}", chip - 1, chip + 1, kTorusChips - 1);
}

Group left_by(std::uint32_t dead) {
  model::MachineParams machine = tests::default_machine();
  machine.torus = {4, 4, 1};
  machine.instances.chips[model::chip_name(machine, dead)].dead = true;
  return groups_of(machine, RankKind::kChips, all_but(dead)).front();
}

Problem problem_of(Operation operation, std::uint32_t ranks) {
  Problem problem{operation, ranks, ranks / 2, {}};
  if (operation == Operation::kSendRecv || operation == Operation::kPermute)
    for (std::uint32_t r = 0; r < ranks; ++r) problem.to.push_back((r + 7) % ranks);
  return problem;
}

}  // namespace

TEST_CASE("dead chip: wherever it is, each operation has an algorithm that sends only where there is a route",
          "[collective]") {
  for (std::uint32_t dead = 0; dead < kTorusChips; ++dead) {
    const Group group = left_by(dead);
    const Grid& grid = group.grid;
    // Three chips of its row do not reach the three others of its column.
    CHECK(std::count(grid.apart.begin(), grid.apart.end(), true) == 9);
    for (const std::string& name : operation_names()) {
      CAPTURE(dead, name);
      const Problem problem = problem_of(*operation_from_name(name), group.ranks());
      // A barrier needs a route between all ranks, and its refusal says so.
      CHECK(algorithm_names_for(problem, grid).empty() == (problem.operation == Operation::kBarrier));
      for (const AlgorithmRow& row : algorithms()) {
        if (!row.suits(problem, grid)) continue;
        for (const ChannelPlan& channel : row.plan(problem, grid, 8)) {
          CAPTURE(row.name);
          CHECK(test::fault_of(*channel.schedule).empty());
          for (const Transfer& t : channel.schedule->transfers) REQUIRE(grid.reaches(t.from, t.to));
        }
      }
    }
  }
}

TEST_CASE("dead chip: values over the chips that are left are right, by the best algorithm",
          "[collective][machine]") {
  for (const char* operation : {"all_reduce", "reduce_scatter", "all_gather", "all_to_all", "broadcast",
                                "gather", "scatter", "permute"}) {
    CAPTURE(operation);
    const tests::TempDir folder;
    const auto run =
        tests::tahoma_in(folder.path().string(), {"run",
                                                  TAHOMA_SOURCE_DIR "/workloads/collective/all_gather.yaml",
                                                  "--machine",
                                                  "trainium2_server",
                                                  "--set",
                                                  "machine.instances.server0.chip05.dead=true",
                                                  "--set",
                                                  "workload.over=" + all_but(5),
                                                  "--set",
                                                  std::string("workload.operation=") + operation,
                                                  "--set",
                                                  "workload.algorithm=best",
                                                  "--set",
                                                  "workload.bytes=60 KiB",
                                                  "--set",
                                                  "workload.ranks=chips",
                                                  "--set",
                                                  "machine.chip.hbm.model=flat",
                                                  "--no-report",
                                                  "--check",
                                                  "races,uninitialised",
                                                  "--require-golden",
                                                  "--mode",
                                                  "functional"});
    INFO(run.err);
    CHECK(run.status == 0);
  }
}

TEST_CASE("dead chip: an algorithm that cannot avoid it is refused with the ranks and those that can",
          "[collective]") {
  const Group group = left_by(5);
  const Problem problem = problem_of(Operation::kAllReduce, group.ranks());
  CHECK_THROWS_WITH(algorithm_named("mesh", problem, group.grid),
                    Contains("E-COL-003") && Contains("'mesh' sends from rank ") &&
                        Contains("dead links or chips block") &&
                        Contains("expected for all_reduce over 15 ranks: ring"));
  // A chip that cannot send: what needs its data has no algorithm, and the message says what would help.
  model::MachineParams machine = tests::default_machine();
  machine.torus = {4, 4, 1};
  for (const char* port : {"xp", "xm", "yp", "ym"})
    machine.instances.links[fmt::format("server0.chip00.link.{}", port)].dead = true;
  const Group cut = groups_of(machine, RankKind::kChips, "machine").front();
  for (const std::string& name : operation_names()) {
    const Problem any = problem_of(*operation_from_name(name), cut.ranks());
    if (any.operation == Operation::kScatter || any.operation == Operation::kBroadcast) continue;
    CAPTURE(name);
    CHECK_THROWS_WITH(require_algorithm(any, cut.grid),
                      Contains("E-COL-003") && Contains("rank 0") && Contains("a group without these ranks"));
  }
}
