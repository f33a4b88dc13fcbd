// SPDX-License-Identifier: Apache-2.0
// The chips of a machine that can affect each other's times: those that exchange packets, those whose routers
// the packets pass, and those whose packets leave switches through the same links. Chips of different
// components share nothing: a switch has a buffer for each link into it, and its outputs serve each for
// itself.
#pragma once

#include <bit>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "model/system/folding/program_names.h"
#include "model/system/machine/fabric.h"

namespace tahoma::model {

using base::LinkId;

struct Component {
  std::vector<std::uint32_t> chips;                         // ascending
  std::vector<LinkId> switch_links;                         // that packets leave switches through; ascending
  std::set<std::pair<std::uint32_t, std::uint32_t>> pairs;  // that may exchange packets: from, to
};
struct Components {
  std::vector<Component> all;             // in the order of their lowest chips
  std::vector<std::size_t> of;            // by chip
  std::map<LinkId, std::size_t> of_link;  // of switches, if packets may use them
};

// Returns whether the packets of a component use a single class of virtual channels on each link. Then it
// makes no difference which.
bool one_class_per_link(const Fabric& fabric, const Component& component, bool adaptive);

Components components_of(const Fabric& fabric, const std::map<std::uint32_t, ProgramNames>& names,
                         bool adaptive);

// Calls visit(chip) for every chip that a packet may pass on its way, both ends included; once each.
template <class Visit>
void visit_route(const Fabric& fabric, std::uint32_t from, std::uint32_t to, bool adaptive, Visit&& visit) {
  std::set<std::uint32_t> seen{from};
  std::vector<std::uint32_t> next{from};
  while (!next.empty()) {
    const std::uint32_t node = next.back();
    next.pop_back();
    visit(node);
    if (node == to) continue;
    const base::Way& way = fabric.routes.way(node, to);
    if (!way.exists()) continue;
    const auto go = [&](base::PortIndex port) {
      const std::uint32_t there = *fabric.topology.neighbour(node, port);
      if (seen.insert(there).second) next.push_back(there);
    };
    go(way.port);
    for (std::uint32_t more = adaptive ? way.minimal : 0; more != 0; more &= more - 1)
      go(static_cast<base::PortIndex>(std::countr_zero(more)));
  }
}

}  // namespace tahoma::model
