// SPDX-License-Identifier: Apache-2.0
// The execution traces of a finished run, one for each rank of its exchanges: every collective with its
// group, every message as a send and a receive, and between exchanges a computation for the time that the
// rank spends outside of them. A run without exchanges has one rank with one computation.
//
// A node depends on those that ended before it began, so a replay of exchanges that do not overlap gives the
// times of the run. Collectives of a rank that overlapped depend on each other, in one order on all ranks:
// ASTRA-sim performs one after the other, and ranks that begin with different ones would wait for each other
// for ever. A computation is named after the region of programs that overlaps it most. Computation beside an
// exchange is not shown, and operations and bytes of computations are not written: ASTRA-sim replays
// durations.
#pragma once

#include <vector>

#include "report/execution_trace/trace_graph.h"
#include "report/regions/regions.h"
#include "runtime/collective/result/collective_result.h"
#include "runtime/collective/result/message_result.h"

namespace tahoma::runtime::chakra {

// Results of send_recv and permute are not read: `messages` has their messages.
struct RunExchanges {
  const std::vector<CollectiveResult>& collectives;
  const std::vector<MessageResult>& messages;
};

struct RunTraces {
  std::vector<RankTrace> ranks;  // by the first core of each
  Groups groups;
};

RunTraces traces_of_run(const RunExchanges& exchanges, const std::vector<RegionSummary>& regions,
                        base::Duration elapsed);

}  // namespace tahoma::runtime::chakra
