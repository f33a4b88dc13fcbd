// SPDX-License-Identifier: Apache-2.0
#include "model/system/folding/obstacles.h"

#include <algorithm>

namespace tahoma::model {

namespace {

// Takes the minimum over all links that exist.
base::Duration least_wire(const MachineParams& p, const Fabric& fabric) {
  const base::Topology& topology = fabric.topology;
  base::Duration least = p.link.wire;
  for (std::uint32_t node = 0; node < topology.nodes(); ++node)
    for (base::PortIndex port = 0; port < topology.ports(node); ++port)
      if (topology.neighbour(node, port))
        least = std::min(least, p.link.wire_of(topology.port(node, port).rate));
  return least;
}

}  // namespace

std::string obstacle_to_folding(const MachineParams& p, const Fabric& fabric) {
  if (p.link.sends_flits()) return "the flits of all chips share a clock";
  if (least_wire(p, fabric).fs + p.link.router.fs <= 0) return "packets reach the next chip in no time";
  if (least_wire(p, fabric).fs <= 0) return "credits return in no time";
  constexpr std::uint64_t kMostCapacity = std::uint64_t{60} << 30;  // registers lead up to 2 GiB further
  if (p.chip.hbm.capacity.count > kMostCapacity) return "stacks have more than 60 GiB";
  return "";
}

}  // namespace tahoma::model
