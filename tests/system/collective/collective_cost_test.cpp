// SPDX-License-Identifier: Apache-2.0
// The expected time of collectives, by rehearsal, against the simulation of the whole machine.
#include <fmt/format.h>

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
    return fmt::format("{:.17g} {:.17g}", result.time().seconds(), result.closed_form.seconds());
  });
  Times times;
  std::istringstream(text) >> times.simulated >> times.expected;
  return times;
}

struct Operations {
  const char* operation;
  std::vector<const char*> algorithms;
};
const std::vector<Operations> kOperations{
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
  void add(const Times& times) {
    sum += times.error();
    worst = std::max(worst, times.error());
    ++count;
  }
  double mean() const { return sum / static_cast<double>(count); }
};

// Every algorithm on that machine, for messages of every size.
void compare(const model::MachineParams& machine, const char* ranks, const std::vector<const char*>& sizes,
             Tally& tally) {
  for (const char* bytes : sizes)
    for (const Operations& each : kOperations)
      for (const char* algorithm : each.algorithms)
        tally.add(times_of(machine, {{"operation", each.operation},
                                     {"algorithm", algorithm},
                                     {"bytes", bytes},
                                     {"ranks", ranks},
                                     {"over", "machine"}}));
}

}  // namespace

TEST_CASE(
    "collective cost: on 16 chips rehearsals of short messages are within 5 percent on average and 15 at "
    "worst",
    "[collective]") {
  Tally tally;
  compare(flat(4, 4, 1), "chips", {"64 KiB"}, tally);
  CHECK(tally.count == 17);
  CHECK(tally.mean() < 0.05);
  CHECK(tally.worst < 0.15);
}

TEST_CASE("collective cost: on a mesh, with a slow link and with a dead one, rehearsals are as close",
          "[collective]") {
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
}

TEST_CASE("collective cost: 153 collectives on 8 cores, 16 and 64 chips are within 6 percent on average",
          "[collective][slow]") {
  const std::vector<const char*> sizes{"64 KiB", "1 MiB", "16 MiB"};
  Tally tally;
  compare(flat(1, 1, 1), "cores", sizes, tally);
  compare(flat(4, 4, 1), "chips", sizes, tally);
  compare(flat(4, 4, 4), "chips", sizes, tally);
  CHECK(tally.count == 153);
  CHECK(tally.mean() < 0.06);
  // The largest errors are those of all-to-all traffic, whose packets wait in buffers of routers.
  CHECK(tally.worst < 0.35);
}
