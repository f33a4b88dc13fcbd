// SPDX-License-Identifier: Apache-2.0
// Every chip is connected to one switch. A chip has one port, `up`; the switch has one for each chip. Every
// route has two links, and no link waits for another of its direction, so one class of virtual channels is
// enough.
#include <fmt/format.h>

#include "model/base/topology/loop.h"
#include "model/base/topology/topologies.h"

namespace tahoma::base {
namespace {

class Switched final : public Topology {
 public:
  explicit Switched(const MachineSize& size) : Topology({{"x", size.x}, {"y", size.y}, {"z", size.z}}) {}

  std::uint32_t switches() const override { return 1; }
  PortIndex ports(std::uint32_t node) const override { return is_switch(node) ? chips() : 1; }
  PortKind port(std::uint32_t node, PortIndex port) const override {
    return {is_switch(node) ? fmt::format("down{:02}", port) : "up", 's', LinkRate::kSwitched};
  }
  std::optional<std::uint32_t> neighbour(std::uint32_t node, PortIndex port) const override {
    return is_switch(node) ? port : chips();
  }
  unsigned vc_classes() const override { return 1; }
  Way first_hop(std::uint32_t node, std::uint32_t to, const AxisOrder&,
                const DeadLinks& dead) const override {
    const PortIndex port = is_switch(node) ? to : 0;
    return dead.count({node, port}) > 0 ? Way{} : Way{port, 0, 0};
  }

  std::vector<FabricView> views() const override {
    const double middle = side_of_loop(chips()) / 2.0;
    FabricPicture picture{"all chips", {{chips(), middle, middle}}, {}};
    for (std::uint32_t chip = 0; chip < chips(); ++chip) {
      const auto [column, row] = on_loop(chip, chips());
      picture.nodes.push_back({chip, column, row});
      picture.lines.push_back({chip, 0, middle - column, middle - row, false});
      picture.lines.push_back({chips(), chip, column - middle, row - middle, false});
    }
    return {{"switch", {picture}}};
  }

 private:
  bool is_switch(std::uint32_t node) const { return node == chips(); }
};

}  // namespace

TopologyRow switched_row() {
  return {"switched", "one switch", [](const MachineSize& size) -> std::unique_ptr<const Topology> {
            return std::make_unique<Switched>(size);
          }};
}

}  // namespace tahoma::base
