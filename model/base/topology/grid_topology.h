// SPDX-License-Identifier: Apache-2.0
// Chips on a grid of one to three axes. Each axis is a ring, or a line that ends. A chip has two ports for
// each axis, plus and minus.
//
// Dimension order takes one axis after the other and the shorter direction on each. Halfway round a ring both
// directions are equally long: chips at an even coordinate go up and chips at an odd one go down, which
// spreads the traffic over both. If a link on the path is dead, packets take the other direction of the same
// ring.
//
// Two classes of virtual channels keep a ring free of deadlock. A packet that has yet to cross the ring's end
// (from the last coordinate to the first, or back) uses class 0, then class 1. No path crosses the end twice,
// and a path that crosses it began behind it, so neither class closes a cycle; the axes follow each other in
// one order. The class depends only on the position.
#pragma once

#include "model/base/topology/grid_views.h"

namespace tahoma::base {

class GridTopology : public Topology {
 public:
  GridTopology(std::vector<FabricAxis> axes, bool wraps) : Topology(std::move(axes)), wraps_(wraps) {}

  PortIndex ports(std::uint32_t) const override { return static_cast<PortIndex>(2 * axes().size()); }
  PortKind port(std::uint32_t node, PortIndex port) const override;
  // An axis of 1 has no links. On a ring of 2 both directions would reach the same chip over the same cable,
  // so only the plus port exists.
  std::optional<std::uint32_t> neighbour(std::uint32_t node, PortIndex port) const override;
  unsigned vc_classes() const override { return wraps_ ? 2 : 1; }
  Way first_hop(std::uint32_t node, std::uint32_t to, const AxisOrder& order,
                const DeadLinks& dead) const override;
  bool allows_adaptive() const override { return true; }
  std::uint32_t shortest_ports(std::uint32_t from, std::uint32_t to) const override;
  std::vector<FabricView> views() const override { return grid_views(*this, wraps_); }

 private:
  struct Distances {  // hops in each direction; kNever where that direction does not lead there
    std::uint32_t up, down;
  };
  static constexpr std::uint32_t kNever = ~0U;

  Distances distances(unsigned axis, std::uint32_t from, std::uint32_t to) const;
  bool is_alive(const DeadLinks& dead, std::uint32_t from, PortIndex port, std::uint32_t hops) const;
  bool crosses_end(PortIndex port, std::uint32_t from, std::uint32_t hops) const;

  bool wraps_;
};

}  // namespace tahoma::base
