// SPDX-License-Identifier: Apache-2.0
#include "model/link/folded_links.h"

namespace tahoma::model {

using base::LinkId, base::PortIndex;

std::optional<LinkPort::Place> FoldedLinks::simulated(const Router::Fabric& fabric,
                                                      const LinkId& link) const {
  if (link.first < fabric.topology.chips()) {
    if (is_represented(link.first)) return std::nullopt;
  } else if (folds()) {
    const auto known = switch_links.find(link);
    if (known == switch_links.end() || known->second.names != nullptr) return std::nullopt;
  }
  return Router::place_of(fabric, link.first, link.second);
}

LinkId FoldedLinks::simulated_for(const LinkId& of_switch) const {
  const auto known = switch_links.find(of_switch);
  return known == switch_links.end() ? of_switch : known->second.link;
}

std::vector<bool> FoldedLinks::used_nodes(const Router::Fabric& fabric) const {
  const base::Topology& topology = fabric.topology;
  std::vector<bool> used(topology.nodes());
  for (std::uint32_t node = 0; node < topology.nodes(); ++node)
    for (PortIndex p = 0; p < topology.ports(node); ++p)
      if (const auto place = simulated(fabric, {node, p})) used[node] = used[far_node(*place)] = true;
  return used;
}

const Renaming* FoldedLinks::far_names(const LinkPort::Place& port) const {
  if (is_represented(port.to)) return chips[port.to];
  const auto known = into_switches.find({port.from, port.index});
  return known == into_switches.end() ? nullptr : known->second;
}

std::uint32_t FoldedLinks::far_node(const LinkPort::Place& port) const {
  const Renaming* names = far_names(port);
  return names == nullptr ? port.to : names->chip(port.to);
}

void FoldedLinks::stand_in_for_ports(Router& of_switch) const {
  for (const auto& [link, port] : switch_links)
    if (link.first == of_switch.node() && port.link.first == link.first && port.names != nullptr)
      of_switch.stand_in(link.second, *port.names);
}

}  // namespace tahoma::model
