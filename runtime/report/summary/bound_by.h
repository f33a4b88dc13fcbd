// SPDX-License-Identifier: Apache-2.0
// What bound a run, by a rule that fits in a sentence. Candidates are the busy shares of
//   tensor, vector, scalar, gpsimd   the engines of the active cores, average
//   dma                              busy time of the 16 DMA engines of the active cores, average
//   hbm                              the busiest stack
//   link                             the busiest direction of a link
// The largest bounds the run if it is at least 60 %; of equal ones the first in this order. Otherwise the run
// is bound by "latency": the reason names the longest stall of the tensor engine, and the share is that
// stall's. Where the tensor engine ran nothing, or is mostly idle because it has nothing to do, the engine
// that is idle least speaks in its place: it has work for most of the run, so what it waits for is what the
// run waits for. A what-if run (an `ideal` resource) is the proof; this is the hint.
#pragma once

#include "runtime/report/summary/summary.h"

namespace tahoma::runtime {

inline constexpr double kBoundPercent = 60;

// From a summary that is complete but for `bound`.
Bound find_bound(const Summary& summary);

}  // namespace tahoma::runtime
