// SPDX-License-Identifier: Apache-2.0
// The traces of all ranks as discrete events. A node starts when the nodes that it depends on have ended and
// its resource is free: each rank computes one node at a time on its host (is_cpu_op) and one on its device,
// in the order of the file among nodes that may start, and performs the collectives of a group one at a time,
// in the order of the file; groups, sends and receives have no limit. A collective starts when its last rank
// has arrived and ends for all ranks at once. A send does not wait for its receive; the receive ends when the
// message has arrived. Metadata takes no time.
//
// UserError E-ETR-008 (exit status 4): ranks wait for each other for ever; the message says who waits for
// whom. E-ETR-003: a node would end more than 2.5 hours after the start, beyond the range of times.
#pragma once

#include <vector>

#include "studies/chakra/node_times.h"

namespace tahoma::runtime::chakra {

struct NodeSpan {
  base::Time arrived{0};  // could have started; a collective or receive then waits for the other ranks
  base::Time start{0}, end{0};
};

// The shares of a rank add up to the time of the replay. Communication counts from arrival to end.
struct RankShares {
  base::Duration computing{0};  // on host or device, also beside communication
  base::Duration exposed{0};    // communication, while nothing is computed
  base::Duration idle{0};
  base::Duration waiting{0};  // part of exposed in which an exchange waits for other ranks
};

struct Replay {
  std::vector<std::vector<NodeSpan>> spans;  // by rank and node
  std::vector<RankShares> shares;            // by rank
  base::Duration time{0};
};

Replay replay(const TraceGraph& graph, const NodeTimes& times, const std::string& prefix);

}  // namespace tahoma::runtime::chakra
