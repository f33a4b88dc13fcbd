// SPDX-License-Identifier: Apache-2.0
#include "model/base/topology/grid_topology.h"
#include "model/base/topology/topologies.h"

namespace tahoma::base {

TopologyRow mesh_row() {
  return {"mesh", "a grid whose axes end", [](const MachineSize& size) -> std::unique_ptr<const Topology> {
            return std::make_unique<GridTopology>(
                std::vector<FabricAxis>{{"x", size.x}, {"y", size.y}, {"z", size.z}}, false);
          }};
}

}  // namespace tahoma::base
