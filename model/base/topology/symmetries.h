// SPDX-License-Identifier: Apache-2.0
// The symmetries of a fabric: permutations of its chips that keep every link.
#pragma once

#include <cstdint>
#include <vector>

#include "model/base/topology/topology.h"

namespace tahoma::base {

using ChipMap = std::vector<std::uint32_t>;  // by chip: the chip that takes its place

ChipMap identity_map(std::uint32_t chips);
// first, then second.
ChipMap composed(const ChipMap& first, const ChipMap& second);
ChipMap inverse(const ChipMap& map);

// The shifts along the axes for which every port of a chip leads to the chip that takes the place of its neighbour;
// the first shifts by nothing. A fabric with switches, or whose axes end, has no other.
// Left out: reflections and exchanges of axes, which keep links but not the names of ports, by which routers take turns.
std::vector<ChipMap> shifts_of(const Topology& topology);

}  // namespace tahoma::base
