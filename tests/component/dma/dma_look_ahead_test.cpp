// SPDX-License-Identifier: Apache-2.0
// DMA engines that issue ahead of the simulation: which results change and which do not.
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <set>

#include "tests/support/bench/hbm_traffic.h"
#include "tests/support/in_child.h"

using namespace tahoma;
using namespace tahoma::base::literals;
using namespace tahoma::tests;

namespace {

struct Ran {
  double elapsed_ns = 0, activations = 0;
  std::string packets;  // times of all packets, by core
};

// Packets of a machine with this look-ahead.
Ran ran(model::MachineParams machine, base::Duration look_ahead, const std::vector<PlacedTraffic>& all) {
  machine.chip.core.dma.look_ahead = look_ahead;
  const std::string text = in_child([&] {
    const Streamed streamed = stream(machine, all);
    std::multiset<std::string> packets;  // engines that look ahead report in another order
    for (const auto& [core, of_core] : streamed.packets.cores)
      for (const PacketTimes::Packet& p : of_core)
        packets.insert(fmt::format("{} {} {} {} {}\n", core, p.start.fs, p.read.fs, p.written.fs, p.bytes));
    return fmt::format("{} {}\n{}", streamed.run.elapsed.ns(), streamed.run.dma_activations,
                       fmt::join(packets, ""));
  });
  std::size_t used = 0;
  const double elapsed = std::stod(text, &used);
  return {elapsed, std::stod(text.substr(used)), text.substr(text.find('\n') + 1)};
}

}  // namespace

TEST_CASE("look-ahead: where no memory makes anyone wait, times are the same, and activations far fewer",
          "[dma]") {
  model::MachineParams machine = machine_of(1, 1, 1);
  machine.chip.hbm.bandwidth.ideal = true;
  for (const Stream& s : {Stream{12, 0, 4096}, Stream{0, 12, 2048}, Stream{6, 6, 1024}}) {
    const std::vector<PlacedTraffic> both{{0, 0, s}, {1, 0, s}};
    const Ran exact = ran(machine, 0_ns, both), ahead = ran(machine, 500_ns, both);
    CHECK(ahead.packets == exact.packets);
    CHECK(ahead.elapsed_ns == exact.elapsed_ns);
    CHECK(ahead.activations * 2 < exact.activations);
  }
}

TEST_CASE("look-ahead: engines that share a stack are off by about as much, and by no byte", "[dma]") {
  const std::vector<PlacedTraffic> both{{0, 0, {12, 0, 4096}}, {1, 0, {0, 12, 4096}}};
  const Ran exact = ran(machine_of(1, 1, 1), 0_ns, both);
  for (const base::Duration look_ahead : {100_ns, 300_ns}) {
    const Ran ahead = ran(machine_of(1, 1, 1), look_ahead, both);
    CHECK(std::abs(ahead.elapsed_ns - exact.elapsed_ns) <= 2 * look_ahead.ns());
    CHECK(std::count(ahead.packets.begin(), ahead.packets.end(), '\n') ==
          std::count(exact.packets.begin(), exact.packets.end(), '\n'));
  }
}

TEST_CASE("look-ahead: no further than the start-up, within which every transfer is known", "[dma]") {
  const std::vector<PlacedTraffic> both{{0, 0, {6, 6, 4096}}, {1, 0, {6, 6, 4096}}};
  const base::Duration start_up = machine_of(1, 1, 1).chip.core.dma.start_up;
  CHECK(ran(machine_of(1, 1, 1), start_up * 100, both).packets ==
        ran(machine_of(1, 1, 1), start_up, both).packets);
}
