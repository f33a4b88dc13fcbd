// SPDX-License-Identifier: Apache-2.0
// DMA engines that issue ahead of the simulation: what it changes, and what not.
#include <catch2/catch.hpp>

#include "tests/support/hbm_traffic.h"
#include "tests/support/in_child.h"

using namespace tahoma;
using namespace tahoma::base::literals;
using namespace tahoma::tests;

namespace {

struct Ran {
  double elapsed_ns = 0, activations = 0;
  std::string packets;  // times of all, by core
};

// Those of a machine with this look-ahead.
Ran ran(model::MachineParams machine, base::Duration look_ahead, const std::vector<Placed>& all) {
  machine.chip.core.dma.look_ahead = look_ahead;
  const std::string text = in_child([&] {
    const Streamed streamed = stream(machine, all);
    std::string lines;
    for (const auto& [core, packets] : streamed.packets.cores)
      for (const PacketTimes::Packet& p : packets)
        lines += std::to_string(core) + " " + std::to_string(p.start.fs) + " " + std::to_string(p.read.fs) +
                 " " + std::to_string(p.written.fs) + " " + std::to_string(p.bytes) + "\n";
    return std::to_string(streamed.run.elapsed.ns()) + " " + std::to_string(streamed.run.dma_activations) +
           "\n" + lines;
  });
  std::size_t used = 0;
  Ran r;
  r.elapsed_ns = std::stod(text, &used);
  r.activations = std::stod(text.substr(used));
  r.packets = text.substr(text.find('\n') + 1);
  std::vector<std::string> sorted;  // engines that look ahead tell in another order
  for (std::size_t at = 0; at < r.packets.size();) {
    const std::size_t end = r.packets.find('\n', at);
    sorted.push_back(r.packets.substr(at, end - at));
    at = end + 1;
  }
  std::sort(sorted.begin(), sorted.end());
  r.packets.clear();
  for (const std::string& line : sorted) r.packets += line + "\n";
  return r;
}

}  // namespace

TEST_CASE("look-ahead: where no memory makes anyone wait, times are the same, and activations far fewer",
          "[dma]") {
  model::MachineParams machine = machine_of(1, 1, 1);
  machine.chip.hbm.bandwidth.ideal = true;
  for (const Stream& s : {Stream{12, 0, 4096}, Stream{0, 12, 2048}, Stream{6, 6, 1024}}) {
    const std::vector<Placed> both{{0, 0, s}, {1, 0, s}};
    const Ran exact = ran(machine, 0_ns, both), ahead = ran(machine, 500_ns, both);
    CHECK(ahead.packets == exact.packets);
    CHECK(ahead.elapsed_ns == exact.elapsed_ns);
    CHECK(ahead.activations * 2 < exact.activations);
  }
}

TEST_CASE("look-ahead: engines that share a stack are off by about as much, and by no byte", "[dma]") {
  const std::vector<Placed> both{{0, 0, {12, 0, 4096}}, {1, 0, {0, 12, 4096}}};
  const Ran exact = ran(machine_of(1, 1, 1), 0_ns, both);
  for (const base::Duration look_ahead : {100_ns, 300_ns}) {
    const Ran ahead = ran(machine_of(1, 1, 1), look_ahead, both);
    CHECK(std::abs(ahead.elapsed_ns - exact.elapsed_ns) <= 2 * look_ahead.ns());
    CHECK(std::count(ahead.packets.begin(), ahead.packets.end(), '\n') ==
          std::count(exact.packets.begin(), exact.packets.end(), '\n'));
  }
}

TEST_CASE("look-ahead: no further than the start-up, within which every transfer is known", "[dma]") {
  const std::vector<Placed> both{{0, 0, {6, 6, 4096}}, {1, 0, {6, 6, 4096}}};
  const base::Duration start_up = machine_of(1, 1, 1).chip.core.dma.start_up;
  CHECK(ran(machine_of(1, 1, 1), start_up * 100, both).packets ==
        ran(machine_of(1, 1, 1), start_up, both).packets);
}
