// SPDX-License-Identifier: Apache-2.0
// Computes the result of a collective from its marks (runtime/collective/result/collective_result.h).
#pragma once

#include <vector>

#include "runtime/collective/cost/group_estimates.h"
#include "runtime/collective/lowering/planned_collective.h"
#include "runtime/collective/result/collective_result.h"

namespace tahoma::runtime::collective {

// Returns the times of one rank, from the spans of its channels.
RankTimes times_of(const Stopwatch& stopwatch, const std::vector<Stopwatch::Span>& spans);

// The complete result except for its name and its check; `bytes` as nccom-test counts them. `ranks` may be
// those of several groups of the same shape that run at the same time.
CollectiveResult measured(Estimates& estimates, const Group& group, const PlannedCollective& planned,
                          std::uint64_t bytes, std::vector<RankTimes> ranks);

}  // namespace tahoma::runtime::collective
