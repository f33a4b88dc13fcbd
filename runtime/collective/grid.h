// SPDX-License-Identifier: Apache-2.0
// How the ranks of a group lie to each other: as a product of axes (the cores of a chip, x, y, z), or, when
// they are no such product, as one axis that says nothing. Rank = sum of coordinate x stride.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tahoma::runtime::collective {

struct GridAxis {
  std::string name;          // "core", "x", "y", "z"; "list" of ranks in no known order
  std::uint32_t size = 1;    // at least 2
  std::uint32_t stride = 1;  // of rank numbers
  bool links = false;        // neighbours are one link apart, both ways round
  double rate = 1;           // bytes a second that a rank can send to one neighbour
  std::uint32_t ways() const {
    return size == 2 ? 1 : 2;
  }  // neighbours: two ranks have one link between them
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

}  // namespace tahoma::runtime::collective
