// SPDX-License-Identifier: Apache-2.0
#include "model/base/topology/symmetries.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>

#include "model/base/topology/switch_turns.h"

namespace tahoma::base {
namespace {

constexpr std::uint32_t kUnknown = ~std::uint32_t{0};

// A permutation of the chips, from chip to chip.
template <class To>
NodeMap chips_to(const Topology& topology, To&& to) {
  NodeMap map;
  for (std::uint32_t chip = 0; chip < topology.chips(); ++chip) map.push_back(to(chip));
  return map;
}

NodeMap shifted(const Topology& topology, const ChipCoordinates& by) {
  return chips_to(topology, [&](std::uint32_t chip) {
    ChipCoordinates place = topology.at(chip);
    for (std::size_t axis = 0; axis < kMostAxes; ++axis)
      place[axis] = (place[axis] + by[axis]) % topology.size(axis);
    return topology.chip(place);
  });
}

// Permutations of the chips that may be symmetries, the one that changes nothing first.
std::vector<NodeMap> candidates(const Topology& topology) {
  const std::uint32_t chips = topology.chips();
  std::vector<NodeMap> all;
  for (std::uint32_t chip = 0; chip < chips; ++chip) all.push_back(shifted(topology, topology.at(chip)));
  if (topology.switches() == 0) return all;
  for (std::uint32_t by = 0; by < chips; ++by)
    all.push_back(chips_to(topology, [&](std::uint32_t chip) { return (chip + by) % chips; }));
  return all;
}

// Extends a permutation of the chips to the switches, if they can follow.
class Extension {
 public:
  Extension(const Topology& topology, NodeMap chips) : topology_(topology), map_(std::move(chips)) {
    map_.resize(topology.nodes(), kUnknown);
  }

  bool extend() {
    for (std::uint32_t chip = 0; chip < topology_.chips(); ++chip)
      for (PortIndex port = 0; port < topology_.ports(chip); ++port)
        if (!follow(topology_.neighbour(chip, port), topology_.neighbour(map_[chip], port))) return false;
    // Routes determine the switches behind those of the chips.
    for (std::uint32_t node = topology_.chips(); node < topology_.nodes(); ++node)
      for (std::uint32_t chip = 0; chip < topology_.chips() && map_[node] != kUnknown; ++chip)
        if (!follow(behind(node, chip), behind(map_[node], map_[chip]))) return false;
    for (std::uint32_t node = topology_.chips(); node < topology_.nodes(); ++node)
      if (map_[node] == kUnknown) map_[node] = node;  // no route passes it
    NodeMap all = map_;
    std::sort(all.begin(), all.end());
    return all == identity_map(topology_.nodes());
  }

  const NodeMap& map() const { return map_; }

 private:
  using Node = std::optional<std::uint32_t>;
  Node behind(std::uint32_t node, std::uint32_t chip) const {
    const Way way = topology_.first_hop(node, chip, {0, 1, 2}, {});
    return way.exists() ? topology_.neighbour(node, way.port) : std::nullopt;
  }
  // Maps the switch `from` to the switch `to`; returns false if it cannot.
  bool follow(Node from, Node to) {
    if (from.has_value() != to.has_value()) return false;
    if (!from || *from < topology_.chips()) return true;
    if (*to < topology_.chips()) return false;
    if (map_[*from] == kUnknown) map_[*from] = *to;
    return map_[*from] == *to;
  }

  const Topology& topology_;
  NodeMap map_;
};

bool keeps_chip(const Topology& topology, const NodeMap& map, std::uint32_t chip) {
  if (topology.ports(chip) != topology.ports(map[chip])) return false;
  for (PortIndex port = 0; port < topology.ports(chip); ++port) {
    const auto to = topology.neighbour(chip, port), image = topology.neighbour(map[chip], port);
    if (to.has_value() != image.has_value()) return false;
    if (to && map[*to] != *image) return false;
  }
  return true;
}

bool keeps_switch(const Topology& topology, const SwitchPorts& ports, const NodeMap& map,
                  std::uint32_t node) {
  const SwitchTurns turns(topology, node), there(topology, map[node]);
  if (turns.ports() != there.ports()) return false;
  std::vector<PortIndex> images;
  for (PortIndex port = 0; port < turns.ports(); ++port) {
    images.push_back(ports.image(map, node, port));
    if (images.back() == Way::kNone) return false;
    const PortKind kind = topology.port(node, port), image = topology.port(map[node], images.back());
    if (kind.axis != image.axis || kind.rate != image.rate) return false;
  }
  for (PortIndex in = 0; in < turns.ports(); ++in)
    for (PortIndex out = 0; out < turns.ports(); ++out)
      if (turns.of(in, out) != there.of(images[in], images[out])) return false;
  return true;
}

bool keeps_links(const Topology& topology, const SwitchPorts& ports, const NodeMap& map) {
  for (std::uint32_t node = 0; node < topology.nodes(); ++node)
    if (!(node < topology.chips() ? keeps_chip(topology, map, node)
                                  : keeps_switch(topology, ports, map, node)))
      return false;
  return true;
}

}  // namespace

SwitchPorts::SwitchPorts(const Topology& topology)
    : topology_(topology),
      chips_(topology.chips()),
      ports_(topology.switches(), std::vector<PortIndex>(topology.nodes(), Way::kNone)) {
  for (std::uint32_t node = chips_; node < topology.nodes(); ++node)
    for (PortIndex port = 0; port < topology.ports(node); ++port)
      if (const auto to = topology.neighbour(node, port)) ports_[node - chips_][*to] = port;
}

NodeMap identity_map(std::uint32_t nodes) {
  NodeMap map(nodes);
  std::iota(map.begin(), map.end(), 0U);
  return map;
}

NodeMap composed(const NodeMap& first, const NodeMap& second) {
  NodeMap map(first.size());
  for (std::size_t node = 0; node < map.size(); ++node) map[node] = second[first[node]];
  return map;
}

NodeMap inverse(const NodeMap& map) {
  NodeMap back(map.size());
  for (std::uint32_t node = 0; node < map.size(); ++node) back[map[node]] = node;
  return back;
}

std::vector<NodeMap> shifts_of(const Topology& topology) {
  const SwitchPorts ports(topology);
  std::vector<NodeMap> all;
  for (NodeMap& chips : candidates(topology)) {
    Extension extension(topology, std::move(chips));
    if (!extension.extend() || !keeps_links(topology, ports, extension.map())) continue;
    if (std::find(all.begin(), all.end(), extension.map()) == all.end()) all.push_back(extension.map());
  }
  return all;
}

}  // namespace tahoma::base
