// SPDX-License-Identifier: Apache-2.0
// Routing tables: the port and the class of virtual channels for every node and every chip. They are computed
// once from the topology, so that routers only look up numbers.
#pragma once

#include <cstdint>
#include <vector>

#include "model/base/topology/topology.h"

namespace tahoma::base {

class Routes {
 public:
  // `order`: the axes in the order of dimension-order routing. The topology outlives this.
  Routes(const Topology& topology, const AxisOrder& order, const DeadLinks& dead);

  // Returns the first hop from `node` to another chip. It does not exist if routing finds no path around dead
  // links.
  const Way& way(std::uint32_t node, std::uint32_t to) const { return ways_[node * chips_ + to]; }
  unsigned vc_classes() const { return vc_classes_; }
  std::uint32_t hops(std::uint32_t from, std::uint32_t to) const;  // number of links; the route must exist

 private:
  Way& at(std::uint32_t node, std::uint32_t to) { return ways_[node * chips_ + to]; }
  void drop_broken_ways();
  void find_minimal(const DeadLinks& dead);

  const Topology& topology_;
  std::uint32_t chips_;
  unsigned vc_classes_;
  std::vector<Way> ways_;
};

}  // namespace tahoma::base
