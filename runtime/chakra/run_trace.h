// SPDX-License-Identifier: Apache-2.0
// The execution traces of a finished run, one for each rank of its collectives: every collective with its group, and
// between collectives a computation for the time that the rank spends outside of them. A run without collectives has
// one rank with one computation.
//
// A node depends on the last one that ended before it began, so a replay of collectives that do not overlap gives the
// times of the run. A computation is named after the region of programs that overlaps it most. Computation beside a
// collective is not shown, and operations and bytes of computations are not written: ASTRA-sim replays durations.
#pragma once

#include <vector>

#include "runtime/chakra/trace_graph.h"
#include "runtime/collective/result/collective_result.h"
#include "runtime/report/regions/regions.h"

namespace tahoma::runtime::chakra {

struct RunTraces {
  std::vector<RankTrace> ranks;  // by the first core of each
  Groups groups;
};

RunTraces traces_of_run(const std::vector<CollectiveResult>& collectives,
                        const std::vector<RegionSummary>& regions, base::Duration elapsed);

}  // namespace tahoma::runtime::chakra
