// SPDX-License-Identifier: Apache-2.0
// A topology that tahoma does not have, which shows the parts of a new one: one file, whose last function is
// its row.
#pragma once

#include <bit>

#include "model/base/topology/loop.h"
#include "model/base/topology/topologies.h"

namespace tahoma::tests {

// Chips whose numbers differ in one bit are neighbours. Packets correct the bits from the lowest to the
// highest, so that no cycle of links can deadlock.
class Hypercube final : public base::Topology {
 public:
  explicit Hypercube(std::uint32_t chips) : Topology({{"x", chips}}) {}

  base::PortIndex ports(std::uint32_t) const override { return std::bit_width(chips()) - 1; }
  base::PortKind port(std::uint32_t, base::PortIndex port) const override {
    return {"b" + std::to_string(port), 'b', base::LinkRate::kX};
  }
  std::optional<std::uint32_t> neighbour(std::uint32_t node, base::PortIndex port) const override {
    return node ^ 1U << port;
  }
  unsigned vc_classes() const override { return 1; }
  base::Way first_hop(std::uint32_t node, std::uint32_t to, const base::AxisOrder&,
                      const base::DeadLinks& dead) const override {
    const auto port = static_cast<base::PortIndex>(std::countr_zero(node ^ to));
    return dead.count({node, port}) > 0 ? base::Way{} : base::Way{port, 0, 0};
  }
  bool allows_adaptive() const override { return true; }
  std::uint32_t shortest_ports(std::uint32_t from, std::uint32_t to) const override { return from ^ to; }
  std::vector<std::uint32_t> path() const override {
    std::vector<std::uint32_t> path;
    for (std::uint32_t n = 0; n < chips(); ++n) path.push_back(n ^ n >> 1);  // Gray code
    return path;
  }
  std::vector<base::FabricView> views() const override {
    base::FabricPicture picture{"all chips", {}, {}};
    for (std::uint32_t chip = 0; chip < chips(); ++chip) {
      const auto [column, row] = base::on_loop(chip, chips());
      picture.nodes.push_back({chip, column, row});
      for (base::PortIndex p = 0; p < ports(chip); ++p) {
        const auto [to_column, to_row] = base::on_loop(*neighbour(chip, p), chips());
        picture.lines.push_back({chip, p, to_column - column, to_row - row, false});
      }
    }
    return {{"hypercube", {picture}}};
  }
};

inline base::TopologyRow hypercube_row() {
  return {"hypercube", "chips whose numbers differ in one bit are neighbours",
          [](const base::MachineSize& size) -> std::unique_ptr<const base::Topology> {
            return std::make_unique<Hypercube>(size.x * size.y * size.z);
          },
          [](const base::MachineSize& size) -> std::string {
            return std::has_single_bit(size.x * size.y * size.z) ? "" : "expected a power of two";
          }};
}

}  // namespace tahoma::tests
