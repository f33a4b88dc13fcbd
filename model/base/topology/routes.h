// SPDX-License-Identifier: Apache-2.0
// Which way packets go: for every node and every chip the port and the class of virtual channels, computed once
// from what the topology answers, so that routers look up plain numbers.
#pragma once

#include <cstdint>
#include <vector>

#include "model/base/topology/topology.h"

namespace tahoma::base {

class Routes {
 public:
  // `order`: the axes in the order in which dimension order takes them. The topology outlives this.
  Routes(const Topology& topology, const AxisOrder& order, const DeadLinks& dead);

  // From `node` to a chip that is another one. It does not exist if the fabric's routing finds no way round
  // what is dead.
  const Way& way(std::uint32_t node, std::uint32_t to) const { return ways_[node * chips_ + to]; }
  unsigned vc_classes() const { return vc_classes_; }
  std::uint32_t hops(std::uint32_t from, std::uint32_t to) const;  // links, of a way that exists

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
