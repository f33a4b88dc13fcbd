// SPDX-License-Identifier: Apache-2.0
#include "model/link/flits/flit_routing.h"

namespace tahoma::model {

using base::Way;

FlitRouting::FlitRouting(const base::Topology& topology, const base::Routes& routes,
                         const base::AxisOrder& order, std::uint32_t vcs)
    : topology_(topology),
      routes_(routes),
      others_(std::size_t{topology.nodes()} * topology.chips()),
      vcs_(vcs),
      share_(vcs / routes.vc_classes()) {
  for (std::uint32_t node = 0; node < topology.nodes(); ++node)
    for (std::uint32_t to = 0; to < topology.chips(); ++to) {
      if (node == to) continue;
      // The way that the fabric takes if the link of the first one is dead.
      const Way& way = routes.way(node, to);
      const Way other = topology.first_hop(node, to, order, {{node, way.port}});
      const bool as_short = other.exists() && (way.minimal >> other.port & 1U) != 0;
      if (as_short && topology.port(node, other.port).axis == topology.port(node, way.port).axis)
        others_[std::size_t{node} * topology.chips() + to] = other;
    }
}

FlitWay FlitRouting::way(std::uint32_t node, char arrived_on, std::uint32_t arrived_vc, std::uint32_t to,
                         bool drawn) const {
  if (to == node) return {topology_.ports(node), 0, vcs_};
  const Way& way = routes_.way(node, to);
  if (topology_.port(node, way.port).axis == arrived_on)
    return {way.port, arrived_vc / share_ * share_, share_};
  const Way& other = others_[std::size_t{node} * topology_.chips() + to];
  const Way& taken = drawn && other.exists() ? other : way;
  return {taken.port, taken.vc_class * share_, share_};
}

}  // namespace tahoma::model
