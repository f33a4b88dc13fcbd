// SPDX-License-Identifier: Apache-2.0
// Determines what bound a run, by a short rule. Candidates are the busy shares of
//   tensor, vector, scalar, gpsimd   the engines of the active cores, average
//   dma                              busy time of the 16 DMA engines of the active cores, average
//   hbm                              the busiest stack
//   link                             the busiest direction of a link
// The largest share bounds the run if it is at least 60 %; among equal ones the first in this order.
// Otherwise the run is bound by "latency": the reason names the longest stall of the tensor engine, and the
// share is that of the stall. If the tensor engine executed nothing, or is mostly idle for lack of work, the
// engine with the least idle time is used instead: it has work for most of the run, so the run waits for what
// this engine waits for. The rule is a heuristic; a what-if run (an `ideal` resource) verifies it.
#pragma once

#include "runtime/report/summary/summary.h"

namespace tahoma::runtime {

inline constexpr double kBoundPercent = 60;

// From a summary that is complete except for `bound`.
Bound find_bound(const Summary& summary);

}  // namespace tahoma::runtime
