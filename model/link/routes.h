// SPDX-License-Identifier: Apache-2.0
// Which way packets go: for every node and every chip the port and the class of virtual channels, computed
// once. Pure arithmetic.
//
// Dimension order takes the axes of a grid one after the other, the shorter way round. Half way round both
// ways are as long: chips at an even coordinate go up, at an odd one down, which spreads such traffic over
// both. Where a link on that way is dead, the other way round the same ring is taken.
//
// Rings are free of deadlock by two classes of virtual channels: a packet that has still to cross the ring's
// end (from the last coordinate to the first, or back) uses class 0, then class 1. No way crosses the end
// twice, and a way that crosses it began behind it, so that neither class closes a circle; axes follow each
// other in one order. Which class it is follows from the place alone.
//
// Adaptive routing may take any port on a shortest way, on virtual channels of its own; dimension order on
// the first ones is always open as an escape (Duato's condition, with buffers that hold whole packets).
#pragma once

#include <array>
#include <cstdint>
#include <set>
#include <utility>
#include <vector>

#include "model/link/topology.h"

namespace tahoma::model {

struct Way {
  static constexpr PortIndex kNone = ~PortIndex{0};
  PortIndex port = kNone;
  std::uint8_t vc_class = 0;
  std::uint32_t minimal = 0;  // a bit for each port on a shortest way; of grids
  bool exists() const { return port != kNone; }
};

using DeadLinks = std::set<std::pair<std::uint32_t, PortIndex>>;  // (node, its port)

class Routes {
 public:
  // `order`: the axes, 0 to 2, in the order in which they are taken.
  Routes(const Topology& topology, const std::array<unsigned, 3>& order, const DeadLinks& dead);

  // From `node` to a chip that is another one. It does not exist if the order of axes reaches no way round
  // what is dead.
  const Way& way(std::uint32_t node, std::uint32_t to) const { return ways_[node * chips_ + to]; }
  unsigned vc_classes() const { return vc_classes_; }
  std::uint32_t hops(std::uint32_t from, std::uint32_t to) const;  // links, of a way that exists

 private:
  Way& at(std::uint32_t node, std::uint32_t to) { return ways_[node * chips_ + to]; }
  void route_switch(const DeadLinks& dead);
  void route_grid(const std::array<unsigned, 3>& order, const DeadLinks& dead);
  Way first_hop(std::uint32_t from, std::uint32_t to, const std::array<unsigned, 3>& order,
                const DeadLinks& dead) const;
  void drop_broken_ways();
  void find_minimal(const DeadLinks& dead);

  const Topology topology_;
  std::uint32_t chips_;
  unsigned vc_classes_;
  std::vector<Way> ways_;
};

}  // namespace tahoma::model
