// SPDX-License-Identifier: Apache-2.0
// The laws of every topology. Each law returns its violations, one sentence for each; an empty list if it
// holds. The laws use only the topology's answers and none of its arithmetic.
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

// Calls visit(text that names it, topology) for the row's topology of every legal size.
void for_each_size(const base::TopologyRow& row,
                   const std::function<void(const std::string&, const base::Topology&)>& visit);

// Links from one node to all others, by breadth-first search; ~0 if there is no path.
std::vector<std::uint32_t> distances_from(const base::Topology& topology, std::uint32_t from);

struct FabricHop {
  std::uint32_t node;
  base::PortIndex port;
  std::uint8_t vc_class;
  friend auto operator<=>(const FabricHop&, const FabricHop&) = default;
};
// The route from chip to chip. Empty if it does not exist or does not reach the chip.
std::vector<FabricHop> walk(const base::Topology& topology, const base::Routes& routes, std::uint32_t from,
                            std::uint32_t to);

// Returns whether a cycle of packets can deadlock: each holds a channel and requests the one that the next
// packet holds. Without classes every packet counts as class 0.
bool may_deadlock(const base::Topology& topology, const base::Routes& routes, bool with_classes = true);

}  // namespace tahoma::tests
