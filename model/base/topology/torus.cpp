// SPDX-License-Identifier: Apache-2.0
#include "model/base/topology/grid_topology.h"
#include "model/base/topology/topologies.h"

namespace tahoma::base {

TopologyRow torus_row() {
  return {"torus", "a grid whose axes are rings",
          [](const MachineSize& size) -> std::unique_ptr<const Topology> {
            return std::make_unique<GridTopology>(
                std::vector<FabricAxis>{{"x", size.x}, {"y", size.y}, {"z", size.z}}, true);
          }};
}

}  // namespace tahoma::base
