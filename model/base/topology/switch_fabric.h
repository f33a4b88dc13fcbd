// SPDX-License-Identifier: Apache-2.0
// Fabrics with levels of switches share this: a route has one class of virtual channels, and a picture shows
// all nodes.
#pragma once

#include "model/base/topology/topology.h"

namespace tahoma::base {

// Returns the way through a port, or none if its link is dead.
inline Way way_through(std::uint32_t node, PortIndex port, const DeadLinks& dead) {
  return dead.count({node, port}) > 0 ? Way{} : Way{port, 0, 0};
}

// Adds the lines between all nodes of the picture.
inline void draw_lines(const Topology& topology, FabricPicture& picture) {
  for (const auto& from : picture.nodes)
    for (PortIndex p = 0; p < topology.ports(from.node); ++p)
      for (const auto& end : picture.nodes)
        if (end.node == topology.neighbour(from.node, p))
          picture.lines.push_back({from.node, p, end.column - from.column, end.row - from.row, false});
}

}  // namespace tahoma::base
