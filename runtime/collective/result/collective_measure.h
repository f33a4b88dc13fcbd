// SPDX-License-Identifier: Apache-2.0
// From the marks of a collective to what it came to (runtime/collective/result/collective_result.h).
#pragma once

#include <vector>

#include "runtime/collective/lowering/placed.h"
#include "runtime/collective/result/collective_result.h"

namespace tahoma::runtime::collective {

// Of one rank: the spans of its channels.
RankTimes times_of(const Stopwatch& stopwatch, const std::vector<Stopwatch::Span>& spans);

// All but its name and whether it was right; `bytes` as nccom-test counts them. `ranks` may be those of
// several groups that lie alike and work at once.
CollectiveResult measured(const model::MachineParams& machine, const Group& group, const Placed& placed,
                          std::uint64_t bytes, std::vector<RankTimes> ranks);

}  // namespace tahoma::runtime::collective
