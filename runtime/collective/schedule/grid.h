// SPDX-License-Identifier: Apache-2.0
// The geometry of a group's ranks: a product of axes (the cores of a chip, the axes of the fabric), or a
// single axis without geometry if they form no product. Rank = sum of coordinate x stride.
//
// grid_of() finds the product in any list of ranks on any fabric. Along an axis, ranks may be listed in any
// order of coordinates, and need not cover the fabric. The rate of an axis is derived from the routes between
// its ranks, so slow links, dead ones and detours count.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "model/system/machine/fabric_ways.h"

namespace tahoma::runtime::collective {

struct GridAxis {
  std::string name;          // "core", an axis of the topology; "list" of ranks in no known order
  std::uint32_t size = 1;    // at least 2
  std::uint32_t stride = 1;  // of rank numbers
  bool chips = false;        // connects chips
  bool closed = false;       // adjacent ranks are one link apart, and so are the last and the first
  double rate = 1;           // bytes a second that a rank can send to one neighbour
  bool cores = false;        // connects the cores of a chip
  // Directions that do not share links. Two ranks have one link between them, and on a line or a switch a
  // ring returns over the same links.
  std::uint32_t ways() const { return closed && size > 2 ? 2 : 1; }
};

struct Grid {
  std::vector<GridAxis> axes;  // by stride, smallest first; none for a single rank
  // Pairs between which dead links and chips leave no route, [from * ranks + to]; empty if there are none.
  std::vector<bool> apart = {};

  bool reaches(std::uint32_t from, std::uint32_t to) const {
    return apart.empty() || !apart[std::size_t{from} * ranks() + to];
  }

  std::uint32_t ranks() const {
    std::uint32_t n = 1;
    for (const GridAxis& axis : axes) n *= axis.size;
    return n;
  }
  bool on_one_chip() const {
    return std::all_of(axes.begin(), axes.end(), [](const GridAxis& axis) { return axis.cores; });
  }
  static std::uint32_t coordinate(const GridAxis& axis, std::uint32_t rank) {
    return rank / axis.stride % axis.size;
  }
  // Returns the rank with another coordinate on the axis, taken modulo its size.
  static std::uint32_t moved(const GridAxis& axis, std::uint32_t rank, std::uint32_t coordinate) {
    return rank - Grid::coordinate(axis, rank) * axis.stride + coordinate % axis.size * axis.stride;
  }
  // Return the rank at the coordinates of `rank` plus those of `by`, and at those of `to` minus those of
  // `from`, axis by axis.
  std::uint32_t shifted(std::uint32_t rank, std::uint32_t by) const {
    for (const GridAxis& axis : axes) rank = moved(axis, rank, coordinate(axis, rank) + coordinate(axis, by));
    return rank;
  }
  std::uint32_t shift_between(std::uint32_t from, std::uint32_t to) const {
    for (const GridAxis& axis : axes)
      to = moved(axis, to, coordinate(axis, to) + axis.size - coordinate(axis, from));
    return to;
  }
};

// `cores` has the global core numbers of each rank.
Grid grid_of(const model::MachineParams& machine, const model::FabricWays& ways,
             const std::vector<std::vector<std::uint32_t>>& cores);

}  // namespace tahoma::runtime::collective
