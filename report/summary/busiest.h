// SPDX-License-Identifier: Apache-2.0
// The busiest resource of a run, as a measured fact. It is not the bottleneck: a resource may be busy for
// most of the time and hidden behind another one, and a run may wait for latencies while nothing is busy.
// `tahoma explain` finds the bottleneck.
//
// The busy shares that are compared:
//   tensor, vector, scalar, gpsimd   the engines of the active cores, average
//   dma                              busy time of the 16 DMA engines of the active cores, average
//   hbm                              the busiest stack
//   link                             the busiest direction of a link
// Among equal shares the first in this order is named.
#pragma once

#include "report/summary/summary.h"

namespace tahoma::runtime {

// From a summary that is complete except for `busiest`.
Busiest find_busiest(const Summary& summary);

}  // namespace tahoma::runtime
