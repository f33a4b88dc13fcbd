// SPDX-License-Identifier: Apache-2.0
#include "model/base/topology/topology.h"

#include "model/base/error.h"

namespace tahoma::base {

Topology::Topology(std::vector<FabricAxis> axes) : axes_(std::move(axes)) {
  TAHOMA_INVARIANT(axes_.size() <= kMostAxes, "a topology with too many axes");
}

std::string Topology::switch_name(std::uint32_t) const { return "switch"; }

std::vector<std::uint32_t> Topology::path() const {
  std::vector<std::uint32_t> path;
  for (std::uint32_t z = 0; z < size(2); ++z)
    for (std::uint32_t j = 0; j < size(1); ++j)
      for (std::uint32_t i = 0; i < size(0); ++i) {
        const std::uint32_t y = z % 2 == 0 ? j : size(1) - 1 - j;
        const std::uint32_t x = (z * size(1) + j) % 2 == 0 ? i : size(0) - 1 - i;
        path.push_back(chip({x, y, z}));
      }
  return path;
}

}  // namespace tahoma::base
