// SPDX-License-Identifier: Apache-2.0
#include "model/system/folding/switch_links.h"

namespace tahoma::model {

using base::NodeMap;

namespace {

class SwitchLinks {
 public:
  SwitchLinks(const Fabric& fabric, const std::vector<FoldedComponent>& folded, Folding& folding)
      : ports_(fabric.switch_ports), topology_(fabric.topology), folded_(folded), folding_(folding) {}

  void fold(const LinkId& link, std::size_t component) {
    const FoldedComponent& c = folded_[component];
    StandIn of = stand_in(image(c.shift, link), folded_[c.onto].group);
    folding_.switch_links[link] = {of.link, base::composed(c.shift, of.view)};
  }

  // `link` is simulated.
  void name_far_switch(const LinkId& link, std::size_t component) {
    const auto to = topology_.neighbour(link.first, link.second);
    if (!to || *to < topology_.chips()) return;
    const NodeMap& view = view_of_switch(*to, folded_[component].group);
    if (view[*to] != *to) folding_.into_switches[link] = view;
  }

 private:
  LinkId image(const NodeMap& map, const LinkId& link) const {
    return {map[link.first], ports_.image(map, link.first, link.second)};
  }

  // The symmetry that takes the switch to the lowest one.
  static const NodeMap& view_of_switch(std::uint32_t node, const std::vector<NodeMap>& group) {
    const NodeMap* view = &group.front();
    for (const NodeMap& map : group)
      if (map[node] < (*view)[node]) view = &map;
    return *view;
  }

  StandIn stand_in(const LinkId& link, const std::vector<NodeMap>& group) const {
    const NodeMap& to_switch = view_of_switch(link.first, group);
    const LinkId there = image(to_switch, link);
    StandIn least{there, to_switch};
    for (const NodeMap& map : group) {
      const LinkId other = image(map, there);
      if (other.first == there.first && other.second < least.link.second)
        least = {other, base::composed(to_switch, map)};
    }
    return least;
  }

  const base::SwitchPorts& ports_;
  const base::Topology& topology_;
  const std::vector<FoldedComponent>& folded_;
  Folding& folding_;
};

}  // namespace

void fold_switch_links(const Fabric& fabric, const Components& components,
                       const std::vector<FoldedComponent>& folded, Folding& folding) {
  SwitchLinks links(fabric, folded, folding);
  for (const auto& [link, component] : components.of_link) links.fold(link, component);
  for (const auto& [link, component] : components.of_link)
    if (folding.switch_links.at(link).link == link) links.name_far_switch(link, component);
  for (std::uint32_t chip = 0; chip < fabric.topology.chips(); ++chip)
    for (base::PortIndex port = 0; folding.is_simulated(chip) && port < fabric.topology.ports(chip); ++port)
      links.name_far_switch({chip, port}, components.of[chip]);
}

}  // namespace tahoma::model
