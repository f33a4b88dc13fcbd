// SPDX-License-Identifier: Apache-2.0
// UltraServers (z) whose chips form a torus of x by y, connected by rails: a switch for each place (x, y), to
// which the chips at this place of all UltraServers send through their network adapters (EFA). Routes take
// the axes in dimension order as on a torus; on z they go up to the rail's switch and down again, so z adds
// no cycle of waiting packets to those of the rings, and a chip cannot reach another UltraServer if its
// adapter's link is dead.
#include <fmt/format.h>

#include <algorithm>

#include "model/base/topology/grid_topology.h"
#include "model/base/topology/switch_fabric.h"
#include "model/base/topology/topologies.h"

namespace tahoma::base {
namespace {

class Rails final : public Topology {
 public:
  explicit Rails(const MachineSize& size)
      : Topology({{"x", size.x}, {"y", size.y}, {"z", size.z}}),
        inside_({{"x", size.x}, {"y", size.y}}, true) {}

  std::uint32_t switches() const override { return size(2) > 1 ? rails() : 0; }
  std::string switch_name(std::uint32_t node) const override {
    return fmt::format("switch{:02}", node - chips());
  }
  PortIndex ports(std::uint32_t node) const override { return is_chip(node) ? kAdapter + 1 : size(2); }
  PortKind port(std::uint32_t node, PortIndex port) const override {
    if (!is_chip(node)) return {fmt::format("down{:02}", port), 'e', LinkRate::kEfa};
    if (port == kAdapter) return {"efa", 'e', LinkRate::kEfa};
    return inside_.port(node % rails(), port);
  }
  std::optional<std::uint32_t> neighbour(std::uint32_t node, PortIndex port) const override {
    if (!is_chip(node)) return port * rails() + node - chips();
    const std::uint32_t rail = node % rails();
    if (port == kAdapter) return size(2) > 1 ? std::optional(chips() + rail) : std::nullopt;
    const auto beside = inside_.neighbour(rail, port);
    return beside ? std::optional(node - rail + *beside) : std::nullopt;
  }
  unsigned vc_classes() const override { return inside_.vc_classes(); }

  Way first_hop(std::uint32_t node, std::uint32_t to, const AxisOrder& order,
                const DeadLinks& dead) const override {
    if (!is_chip(node)) return way_through(node, at(to)[2], dead);
    const ChipCoordinates a = at(node), b = at(to);
    const unsigned axis = *std::find_if(order.begin(), order.end(), [&](unsigned n) { return a[n] != b[n]; });
    if (axis == 2) return way_through(node, kAdapter, dead);
    DeadLinks beside;
    for (const auto& [chip, port] : dead)
      if (is_chip(chip) && chip / rails() == node / rails() && port != kAdapter)
        beside.insert({chip % rails(), port});
    return inside_.first_hop(node % rails(), to % rails(), order, beside);
  }

  std::vector<FabricView> views() const override {
    FabricPicture picture{"all chips", {}, {}};
    if (size(2) > 1)
      for (std::uint32_t rail = 0; rail < rails(); ++rail)
        picture.nodes.push_back({chips() + rail, double(rail), 0});
    for (std::uint32_t chip = 0; chip < chips(); ++chip) {
      const ChipCoordinates c = at(chip);
      picture.nodes.push_back({chip, double(c[2] * (size(0) + 1) + c[0]), 2.0 + c[1]});
    }
    draw_lines(*this, picture);
    return {{"rails", {picture}}};
  }

 private:
  static constexpr PortIndex kAdapter = 4;  // behind those of the torus

  std::uint32_t rails() const { return size(0) * size(1); }
  bool is_chip(std::uint32_t node) const { return node < chips(); }

  GridTopology inside_;  // of one UltraServer
};

}  // namespace

TopologyRow rails_row() {
  return {"rails", "an x by y torus for each z, and for each of its places a switch between all z",
          [](const MachineSize& size) -> std::unique_ptr<const Topology> {
            return std::make_unique<Rails>(size);
          }};
}

}  // namespace tahoma::base
