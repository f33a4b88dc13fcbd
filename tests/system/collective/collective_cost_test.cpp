// SPDX-License-Identifier: Apache-2.0
// The estimate of a collective's time against the simulation of the whole machine.
#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <sstream>

#include "tests/support/program/workload_run.h"
#include "workloads/collective/collective.h"

using namespace tahoma;
using tests::Settings;

namespace {

struct Times {
  double simulated = 0, expected = 0;
  double error() const { return std::fabs(expected / simulated - 1); }
};

Times times_of(const model::MachineParams& params, const Settings& settings) {
  const std::string text = tests::in_child([&] {
    const auto workload = tests::workload_with(workloads::make_collective, settings);
    workload->check(params);
    runtime::Machine machine(params, model::Mode::kTiming);
    workload->prepare(machine, 1);
    const base::RunMeasurement run = machine.run();
    const auto result = workload->collectives(machine, run).back();
    return fmt::format("{:.17g} {:.17g}", result.time().seconds(), result.estimate.seconds());
  });
  Times times;
  std::istringstream(text) >> times.simulated >> times.expected;
  return times;
}

struct Operations {
  const char* operation;
  std::vector<const char*> algorithms;
};
const std::vector<Operations> kCostedOperations{
    {"all_reduce", {"ring", "kangaring", "mesh", "mesh_one_step", "recursive", "hierarchical", "tree"}},
    {"all_gather", {"ring", "kangaring", "mesh", "recursive", "hierarchical", "dissemination"}},
    {"broadcast", {"ring", "mesh", "tree"}},
    {"all_to_all", {"direct"}}};

model::MachineParams flat(std::uint64_t x, std::uint64_t y, std::uint64_t z) {
  model::MachineParams m = tests::machine_of(x, y, z);
  m.chip.hbm.model = model::HbmModel::kFlat;
  return m;
}

struct Tally {
  double sum = 0, worst = 0;
  std::size_t count = 0;
  double regret = 0;  // the largest loss by the choice of the shortest estimate
  double mean() const { return sum / static_cast<double>(count); }

  // The algorithms of one operation.
  void add(const std::vector<Times>& all) {
    const auto by = [](double Times::*time) {
      return [time](const Times& a, const Times& b) { return a.*time < b.*time; };
    };
    const Times& chosen = *std::min_element(all.begin(), all.end(), by(&Times::expected));
    const Times& fastest = *std::min_element(all.begin(), all.end(), by(&Times::simulated));
    regret = std::max(regret, chosen.simulated / fastest.simulated - 1);
    for (const Times& times : all) {
      sum += times.error();
      worst = std::max(worst, times.error());
    }
    count += all.size();
  }
};

// Every algorithm on that machine, for messages of every size.
void compare(const model::MachineParams& machine, const char* ranks, const std::vector<const char*>& sizes,
             Tally& tally) {
  for (const char* bytes : sizes)
    for (const Operations& each : kCostedOperations) {
      std::vector<Times> all;
      for (const char* algorithm : each.algorithms)
        all.push_back(times_of(machine, {{"operation", each.operation},
                                         {"algorithm", algorithm},
                                         {"bytes", bytes},
                                         {"ranks", ranks},
                                         {"over", "machine"}}));
      tally.add(all);
    }
}

}  // namespace

TEST_CASE("collective estimate: on 16 chips short messages are within 5 percent on average and 15 at worst",
          "[collective]") {
  Tally tally;
  compare(flat(4, 4, 1), "chips", {"64 KiB"}, tally);
  CHECK(tally.count == 17);
  CHECK(tally.mean() < 0.05);
  CHECK(tally.worst < 0.15);
  CHECK(tally.regret < 0.05);
}

TEST_CASE("collective estimate: meshes, slow links and dead links are estimated as well", "[collective]") {
  Tally tally;
  model::MachineParams machine = flat(4, 4, 1);
  machine.link.topology = base::fabric_named("mesh");
  compare(machine, "chips", {"64 KiB"}, tally);
  machine = flat(4, 4, 1);
  machine.instances.links["server0.chip05.link.xp"].rate = 0.5;
  machine.instances.links["server0.chip10.link.yp"].dead = true;
  compare(machine, "chips", {"64 KiB"}, tally);
  CHECK(tally.mean() < 0.06);
  CHECK(tally.worst < 0.20);
  CHECK(tally.regret < 0.05);
}

TEST_CASE(
    "collective estimate: of 153 collectives the average error is below 6 percent, and the shortest estimate "
    "is within 5 percent of the fastest",
    "[collective][slow]") {
  const std::vector<const char*> sizes{"64 KiB", "1 MiB", "16 MiB"};
  Tally tally;
  compare(flat(1, 1, 1), "cores", sizes, tally);
  compare(flat(4, 4, 1), "chips", sizes, tally);
  compare(flat(4, 4, 4), "chips", sizes, tally);
  WARN(fmt::format("mean {:.1f} %, worst {:.1f} %, largest loss by the choice {:.1f} %", 100 * tally.mean(),
                   100 * tally.worst, 100 * tally.regret));
  CHECK(tally.count == 153);
  CHECK(tally.mean() < 0.06);
  CHECK(tally.regret < 0.05);
}
