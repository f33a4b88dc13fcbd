// SPDX-License-Identifier: Apache-2.0
// How the ranks of a group lie to each other: as a product of axes (the cores of a chip, the axes of the fabric), or, when
// they are no such product, as one axis that says nothing. Rank = sum of coordinate x stride.
//
// grid_of() finds the product in any list of ranks and on any fabric. Along an axis ranks may be listed in
// any order of coordinates, and need not be all that the fabric has. What an axis can carry is read off the
// ways between its ranks, so that slow links, dead ones and detours count.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/system/fabric_ways.h"

namespace tahoma::runtime::collective {

struct GridAxis {
  std::string name;          // "core", an axis of the topology; "list" of ranks in no known order
  std::uint32_t size = 1;    // at least 2
  std::uint32_t stride = 1;  // of rank numbers
  bool chips = false;        // leads from chip to chip
  bool closed = false;       // ranks next to each other are one link apart, the last and the first, too
  double rate = 1;           // bytes a second that a rank can send to one neighbour
  // Directions that do not share links: of two ranks there is one link between them, and on a line or a
  // switch a ring comes back over the links that it went by.
  std::uint32_t ways() const { return closed && size > 2 ? 2 : 1; }
};

struct Grid {
  std::vector<GridAxis> axes;  // by stride, smallest first; none for a single rank

  std::uint32_t ranks() const {
    std::uint32_t n = 1;
    for (const GridAxis& axis : axes) n *= axis.size;
    return n;
  }
  static std::uint32_t coordinate(const GridAxis& axis, std::uint32_t rank) {
    return rank / axis.stride % axis.size;
  }
  // The rank with another coordinate on the axis, taken modulo its size.
  static std::uint32_t moved(const GridAxis& axis, std::uint32_t rank, std::uint32_t coordinate) {
    return rank - Grid::coordinate(axis, rank) * axis.stride + coordinate % axis.size * axis.stride;
  }
};

// `cores` of each rank, global numbers.
Grid grid_of(const model::MachineParams& machine, const model::FabricWays& ways,
             const std::vector<std::vector<std::uint32_t>>& cores);

}  // namespace tahoma::runtime::collective
