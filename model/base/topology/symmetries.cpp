// SPDX-License-Identifier: Apache-2.0
#include "model/base/topology/symmetries.h"

#include <numeric>

namespace tahoma::base {
namespace {

ChipMap shifted(const Topology& topology, const ChipCoordinates& by) {
  ChipMap map(topology.chips());
  for (std::uint32_t chip = 0; chip < topology.chips(); ++chip) {
    ChipCoordinates place = topology.at(chip);
    for (std::size_t axis = 0; axis < kMostAxes; ++axis)
      place[axis] = (place[axis] + by[axis]) % topology.size(axis);
    map[chip] = topology.chip(place);
  }
  return map;
}

bool keeps_links(const Topology& topology, const ChipMap& map) {
  for (std::uint32_t chip = 0; chip < topology.chips(); ++chip) {
    if (topology.ports(chip) != topology.ports(map[chip])) return false;
    for (PortIndex port = 0; port < topology.ports(chip); ++port) {
      const auto to = topology.neighbour(chip, port), image = topology.neighbour(map[chip], port);
      if (to.has_value() != image.has_value()) return false;
      if (to && map[*to] != *image) return false;
    }
  }
  return true;
}

}  // namespace

ChipMap identity_map(std::uint32_t chips) {
  ChipMap map(chips);
  std::iota(map.begin(), map.end(), 0U);
  return map;
}

ChipMap composed(const ChipMap& first, const ChipMap& second) {
  ChipMap map(first.size());
  for (std::size_t chip = 0; chip < map.size(); ++chip) map[chip] = second[first[chip]];
  return map;
}

ChipMap inverse(const ChipMap& map) {
  ChipMap back(map.size());
  for (std::uint32_t chip = 0; chip < map.size(); ++chip) back[map[chip]] = chip;
  return back;
}

std::vector<ChipMap> shifts_of(const Topology& topology) {
  std::vector<ChipMap> all{identity_map(topology.chips())};
  if (topology.switches() > 0) return all;
  for (std::uint32_t chip = 1; chip < topology.chips(); ++chip) {
    ChipMap map = shifted(topology, topology.at(chip));
    if (keeps_links(topology, map)) all.push_back(std::move(map));
  }
  return all;
}

}  // namespace tahoma::base
