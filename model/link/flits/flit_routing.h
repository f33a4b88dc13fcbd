// SPDX-License-Identifier: Apache-2.0
// The routes of flits: dimension order on the routes of every fabric (model/base/topology/routes.h). Halfway
// round a ring both directions are equally long; every packet draws one of them.
//
// A packet takes its class of virtual channels when it enters an axis and keeps it along the axis: one class
// for those that will cross the end of the ring, one for the others. No cycle of waiting packets can form,
// because no shortest route that crosses the end goes around the whole ring.
#pragma once

#include <cstdint>
#include <vector>

#include "model/base/topology/routes.h"

namespace tahoma::model {

// A class of virtual channels on the link behind a port, or the chip's own port, behind those of the links.
struct FlitWay {
  base::PortIndex port = 0;
  std::uint32_t first_vc = 0, vcs = 0;
};

class FlitRouting {
 public:
  // The topology and the routes, which are those of `order`, outlive this. `vcs`: of a link, a multiple of
  // the topology's classes.
  FlitRouting(const base::Topology& topology, const base::Routes& routes, const base::AxisOrder& order,
              std::uint32_t vcs);

  static constexpr char kFromChip = '\0';  // instead of the axis of the link by which a packet arrived
  // `drawn` says which of two equally long directions the packet takes if it enters an axis here.
  FlitWay way(std::uint32_t node, char arrived_on, std::uint32_t arrived_vc, std::uint32_t to,
              bool drawn) const;

 private:
  const base::Topology& topology_;
  const base::Routes& routes_;
  std::vector<base::Way> others_;  // by (node, chip to reach): the other direction; none if it is longer
  std::uint32_t vcs_, share_;
};

}  // namespace tahoma::model
