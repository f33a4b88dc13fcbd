// SPDX-License-Identifier: Apache-2.0
#include "model/base/topology/routes.h"

#include <bit>

#include "model/base/error.h"

namespace tahoma::base {

Routes::Routes(const Topology& topology, const AxisOrder& order, const DeadLinks& dead)
    : topology_(topology),
      chips_(topology.chips()),
      vc_classes_(topology.vc_classes()),
      ways_(std::size_t{topology.nodes()} * topology.chips()) {
  for (std::uint32_t node = 0; node < topology.nodes(); ++node)
    for (std::uint32_t to = 0; to < chips_; ++to)
      if (node != to) at(node, to) = topology.first_hop(node, to, order, dead);
  drop_broken_ways();
  if (topology.allows_adaptive()) find_minimal(dead);
}

// A path that ends before the chip does not exist.
void Routes::drop_broken_ways() {
  for (std::uint32_t to = 0; to < chips_; ++to) {
    for (bool changed = true; changed;) {
      changed = false;
      for (std::uint32_t node = 0; node < topology_.nodes(); ++node) {
        Way& here = at(node, to);
        if (!here.exists()) continue;
        const std::uint32_t next = *topology_.neighbour(node, here.port);
        if (next == to || way(next, to).exists()) continue;
        here = {};
        changed = true;
      }
    }
  }
}

void Routes::find_minimal(const DeadLinks& dead) {
  for (std::uint32_t node = 0; node < topology_.nodes(); ++node) {
    for (std::uint32_t to = 0; to < chips_; ++to) {
      if (node == to) continue;
      for (std::uint32_t ports = topology_.shortest_ports(node, to); ports != 0; ports &= ports - 1) {
        const auto port = static_cast<PortIndex>(std::countr_zero(ports));
        const std::uint32_t next = *topology_.neighbour(node, port);
        if (dead.count({node, port}) == 0 && (next == to || way(next, to).exists()))
          at(node, to).minimal |= 1U << port;
      }
    }
  }
}

std::uint32_t Routes::hops(std::uint32_t from, std::uint32_t to) const {
  std::uint32_t count = 0;
  for (std::uint32_t node = from; node != to; ++count) {
    TAHOMA_INVARIANT(way(node, to).exists() && count < topology_.nodes(), "a route does not reach its chip");
    node = *topology_.neighbour(node, way(node, to).port);
  }
  return count;
}

}  // namespace tahoma::base
