// SPDX-License-Identifier: Apache-2.0
// All chips in one ring, in the order of their numbers: a torus with one axis, drawn as a loop.
#include "model/base/topology/grid_topology.h"
#include "model/base/topology/loop.h"
#include "model/base/topology/topologies.h"

namespace tahoma::base {
namespace {

class Ring final : public GridTopology {
 public:
  explicit Ring(std::uint32_t chips) : GridTopology({{"x", chips}}, true) {}

  std::vector<FabricView> views() const override {
    if (chips() == 1) return {};
    FabricPicture picture{"all chips", {}, {}};
    for (std::uint32_t chip = 0; chip < chips(); ++chip) {
      const auto [column, row] = on_loop(chip, chips());
      picture.nodes.push_back({chip, column, row});
      for (PortIndex p = 0; p < ports(chip); ++p)
        if (const auto to = neighbour(chip, p)) {
          const auto [to_column, to_row] = on_loop(*to, chips());
          picture.lines.push_back({chip, p, to_column - column, to_row - row, false});
        }
    }
    return {{"ring", {picture}}};
  }
};

}  // namespace

TopologyRow ring_row() {
  return {"ring", "one ring of all chips", [](const MachineSize& size) -> std::unique_ptr<const Topology> {
            return std::make_unique<Ring>(size.x * size.y * size.z);
          }};
}

}  // namespace tahoma::base
