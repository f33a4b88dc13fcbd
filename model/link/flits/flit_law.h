// SPDX-License-Identifier: Apache-2.0
// The times and sizes of a network of flits, in cycles and flits. All links and the paths between chips and
// routers carry one flit per cycle. A router is a pipeline of four stages of one cycle each: route, virtual
// channel, switch, traversal. Without contention, the last flit of a packet is at its chip
//   2 local_wire + router + links (router + wire) + length
// after the packet has entered, in cycles.
#pragma once

#include <algorithm>
#include <cstdint>

#include "model/base/topology/topology.h"
#include "model/link/link_params.h"
#include "model/link/word_clock.h"

namespace tahoma::model {

struct FlitLaw {
  static constexpr std::int64_t kStages = 4;

  // check_flits() has accepted the parameters.
  explicit FlitLaw(const LinkParams& params);

  // The cycle that contains a time.
  std::int64_t cycle_at(base::Time t) const;
  base::Time start_of(std::int64_t cycle) const { return clock.edge({cycle}); }
  // A packet without data and header is one flit.
  std::uint64_t flits_of(const LinkParams& params, std::uint64_t data) const {
    return std::max<std::uint64_t>(1, params.on_wire(data).count / flit.count);
  }

  WordClock clock;
  base::Bytes flit;
  base::Duration router;          // all stages
  std::int64_t wire, local_wire;  // flight times
  std::uint32_t vcs, room;        // of a link; flits in the buffer of one
};

// Throws UserError E-CFG-020 for a machine whose fabric flits cannot use: switches, links that are not equal,
// adaptive routing, or times that are no whole cycles.
void check_flits(const LinkParams& params, const base::Topology& topology);

}  // namespace tahoma::model
