// SPDX-License-Identifier: Apache-2.0
// Traffic that every chip sends alike, over fabrics with switches: a folded run has the statistics and the
// events of links of the whole machine, in one process and in several. The patterns need what random
// workloads seldom have: a link at whose far end another switch stands for the one there, ports that stand
// for others, and simultaneous packets for one output.
#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>

#include "report/files/statistics_tables.h"
#include "runtime/host/sha256.h"
#include "tests/support/bench/machine_fixture.h"
#include "tests/support/program/forked_processes.h"
#include "tests/support/program/random_cases.h"
#include "tests/support/program/text_program.h"

using namespace tahoma;

namespace {

struct Pattern {
  const char* fabric;
  std::uint64_t x, y, z;
  std::array<base::ChipCoordinates, 2> steps;  // from each chip to those to which it sends
  std::size_t simulated;                       // chips
  bool diagonal = false;                       // only chips with x = z send
};

std::uint32_t moved(const base::Topology& topology, std::uint32_t chip, const base::ChipCoordinates& by) {
  base::ChipCoordinates place = topology.at(chip);
  for (std::size_t axis = 0; axis < base::kMostAxes; ++axis)
    place[axis] = (place[axis] + by[axis]) % topology.size(axis);
  return topology.chip(place);
}

// Writes to one chip, reads from another one, and notifies both.
const char* const kProgram =
    ".args own one other one_core other_core\n"
    "sync:\n dma_copy shape=64x512 dst=one+0x100000:fp32 src=own:fp32 notify=one_core update=s0+=1\n"
    " dma_copy shape=64x512 dst=own+0x200000:fp32 src=other:fp32 notify=other_core update=s1+=1\n"
    "scalar:\n dma_copy shape=64x128 dst=other+0x300000:fp32 src=own:fp32 update=s2+=1\n"
    " dma_copy shape=8x128 dst=one+0x400000:fp32 src=own:fp32 update=s2+=1\n";

void load(model::System& system, const Pattern& p) {
  const auto topology = model::topology_of(system.params());
  const auto program = tests::text_program(kProgram);
  for (std::uint32_t chip = 0; chip < topology->chips(); ++chip) {
    if (p.diagonal && topology->at(chip)[0] != topology->at(chip)[2]) continue;
    for (const std::uint32_t core : {0U, 5U}) {
      const std::uint32_t one = moved(*topology, chip, p.steps[0]),
                          other = moved(*topology, chip, p.steps[1]);
      const auto in_stack = [&](std::uint32_t of) { return isa::GlobalAddress{of, core / 2, 0}.bits(); };
      system.load(chip * 8 + core, program,
                  {in_stack(chip), in_stack(one), in_stack(other), one * 8 + core, other * 8 + core});
    }
  }
}

std::string switched_outcome(const Pattern& p, std::uint32_t processes, bool fold) {
  return tests::in_processes(processes, [&](model::Processes* all) -> std::string {
    model::MachineParams machine = tests::machine_of(p.x, p.y, p.z);
    machine.link.topology = base::fabric_named(p.fabric);
    machine.chip.hbm.model = model::HbmModel::kFlat;
    model::System system(machine, model::Mode::kTiming, true, {}, {}, all);
    system.allow_folding(fold);
    load(system, p);
    tests::EventLines events;
    system.observe(static_cast<base::TimelineObserver*>(&events));
    system.run();
    if (all != nullptr && !all->reports()) return "";
    base::StatSink sink;
    system.collect(sink);
    std::sort(events.lines.begin(), events.lines.end());
    std::string lines;
    for (const std::string& line : events.lines) lines += line + "\n";
    CHECK(lines.find("switch") != std::string::npos);
    return fmt::format("{} {}", runtime::sha256_of(runtime::stats_csv(sink.stats()) + lines),
                       fold ? system.folding().simulated() : p.simulated);
  });
}

}  // namespace

TEST_CASE("folded switches: equal traffic has the statistics and events of the whole machine", "[folding]") {
  const auto p = GENERATE(Pattern{"switched", 4, 2, 1, {{{1, 0, 0}, {2, 0, 0}}}, 4},
                          Pattern{"switched", 4, 1, 1, {{{1, 0, 0}, {3, 0, 0}}}, 1},
                          Pattern{"two_level", 2, 1, 3, {{{0, 0, 1}, {1, 0, 2}}}, 2},
                          Pattern{"rails", 3, 1, 3, {{{1, 0, 1}, {2, 0, 2}}}, 1},
                          Pattern{"rails", 3, 1, 3, {{{1, 0, 1}, {2, 0, 2}}}, 3, true},
                          Pattern{"rails", 3, 1, 3, {{{0, 0, 1}, {0, 0, 2}}}, 1});
  INFO(p.fabric << " " << p.x << " x " << p.y << " x " << p.z << ", " << p.simulated << " simulated");
  const std::string whole = switched_outcome(p, 1, false);
  CHECK(whole.ends_with(fmt::format(" {}", p.simulated)));
  for (const std::uint32_t processes : {1U, 2U, 3U}) {
    INFO(processes << " processes");
    CHECK(switched_outcome(p, processes, true) == whole);
    CHECK(switched_outcome(p, processes, false) == whole);
  }
}
