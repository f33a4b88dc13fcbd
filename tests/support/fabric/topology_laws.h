// SPDX-License-Identifier: Apache-2.0
// What must hold of every topology. Each law returns what breaks it, one sentence for each case; none if it
// holds. The laws use the topology's answers alone and nothing of its arithmetic.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "model/base/topology/routes.h"
#include "model/base/topology/topologies.h"

namespace tahoma::tests {

using Complaints = std::vector<std::string>;

struct TopologyLaw {
  const char* name;
  Complaints (*complaints)(const base::Topology&);
};
const std::vector<TopologyLaw>& topology_laws();

// Sizes with axes of one, two, three and more chips.
const std::vector<base::MachineSize>& topology_sizes();

// Calls visit(text that names it, topology) for the row's topology of every size that it does not refuse.
void for_each_size(const base::TopologyRow& row,
                   const std::function<void(const std::string&, const base::Topology&)>& visit);

// Links from one node to all others, by breadth-first search; ~0 where there is no way.
std::vector<std::uint32_t> distances_from(const base::Topology& topology, std::uint32_t from);

struct FabricHop {
  std::uint32_t node;
  base::PortIndex port;
  std::uint8_t vc_class;
  friend auto operator<=>(const FabricHop&, const FabricHop&) = default;
};
// The way from chip to chip. Empty if it does not exist or does not arrive.
std::vector<FabricHop> walk(const base::Topology& topology, const base::Routes& routes, std::uint32_t from,
                            std::uint32_t to);

// Whether a circle of packets can wait for itself: each holds a channel, and asks for the one that the next
// holds. Without classes every packet counts as being in class 0.
bool may_deadlock(const base::Topology& topology, const base::Routes& routes, bool with_classes = true);

}  // namespace tahoma::tests
