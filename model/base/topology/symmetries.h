// SPDX-License-Identifier: Apache-2.0
// The symmetries of a fabric: permutations of its nodes that keep every link.
#pragma once

#include <cstdint>
#include <vector>

#include "model/base/topology/topology.h"

namespace tahoma::base {

// Maps each node to the node that takes its place: a chip to a chip, a switch to a switch.
using NodeMap = std::vector<std::uint32_t>;

NodeMap identity_map(std::uint32_t nodes);
// Applies `first`, then `second`.
NodeMap composed(const NodeMap& first, const NodeMap& second);
NodeMap inverse(const NodeMap& map);

// The ports of switches by the node behind them, each of which has one.
class SwitchPorts {
 public:
  explicit SwitchPorts(const Topology& topology);
  PortIndex to(std::uint32_t node, std::uint32_t neighbour) const {  // Way::kNone: it is no neighbour
    return ports_[node - chips_][neighbour];
  }
  // The port of map[node] that takes the place of `port` of `node`. A chip's ports keep their numbers.
  PortIndex image(const NodeMap& map, std::uint32_t node, PortIndex port) const {
    return node < chips_ ? port : to(map[node], map[*topology_.neighbour(node, port)]);
  }

 private:
  const Topology& topology_;
  std::uint32_t chips_;
  std::vector<std::vector<PortIndex>> ports_;  // by switch and node
};

// The shifts along the axes for which every port of a chip leads to the node that takes the place of its
// neighbour; the first changes nothing. If there are switches, also rotations of all chips by their numbers.
// A fabric whose axes end has only the first.
// Not included: reflections and exchanges of axes, which keep links but not the names of ports, by which
// routers take turns, and permutations that do not keep the turns of switches (switch_turns.h): with two
// levels, servers may be exchanged, but chips of a server may not, because they take turns at the ports to
// the second level.
std::vector<NodeMap> shifts_of(const Topology& topology);

}  // namespace tahoma::base
