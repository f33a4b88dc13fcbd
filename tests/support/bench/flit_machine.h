// SPDX-License-Identifier: Apache-2.0
// Machines whose links transfer a flit in a cycle; one moves flits, with the delays of the comparison machine
// (workloads/micro/network).
#pragma once

#include "tests/support/bench/machine_fixture.h"

namespace tahoma::tests {

// Links and chips transfer a flit of 32 bytes in a cycle of one nanosecond. Packets have no headers, and at
// most 8 flits.
inline model::MachineParams with_flit_rates(model::MachineParams m) {
  using namespace base::literals;
  model::LinkParams& l = m.link;
  l.x = l.y = l.z = l.switched = l.local = 32_GBps;
  l.header = 0_B;
  l.packet = 256_B;
  l.vcs = 4;
  l.buffer = 512_B;
  m.chip.core.dma.packet = m.chip.core.dma.collective_packet = 256_B;
  return m;
}

inline model::MachineParams flit_machine(std::uint64_t x, std::uint64_t y, std::uint64_t z) {
  using namespace base::literals;
  model::MachineParams m = with_flit_rates(machine_of(x, y, z));
  model::LinkParams& l = m.link;
  l.wire = 2_ns;
  l.router = 4_ns;
  l.port.model = model::PortModel::kFlits;
  l.port.word = 32_B;
  l.port.local_wire = 1_ns;
  return m;
}

// The latency of a packet over that many links without contention, in cycles of a nanosecond: every wire,
// every router, and a cycle for each of its flits.
inline double flit_latency(const model::MachineParams& m, unsigned links, std::uint64_t flits) {
  const double wires = 2 * m.link.port.local_wire.ns() + links * m.link.wire.ns();
  return wires + (links + 1) * m.link.router.ns() + static_cast<double>(flits);
}

}  // namespace tahoma::tests
