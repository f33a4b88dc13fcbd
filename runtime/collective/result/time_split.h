// SPDX-License-Identifier: Apache-2.0
// How the time of one collective is split. The time runs from the start of the first rank to the end of the
// last; its five parts are subtracted one after the other, each at most what the previous ones have left, so
// they add up to it by construction:
//
//   waiting        for the slowest rank: the mean over the ranks of (last start - own start), before it
//                  started, and of (last end - own end), after the others were done; an end before the last
//                  start counts as one at it. It is measured, so it comes first. If one rank of n ends later
//                  than all others by d, waiting is d (n - 1) / n; the same holds for one that starts later.
//   serialisation  the bytes of this collective on the link with the largest bytes over rate, divided by that
//                  rate: a lower bound for any algorithm that puts these bytes on these links
//   latency        sequential rounds, each as long as an idle machine needs for a round that moves nothing:
//                  doorbell, descriptors, flight, semaphores
//   reduction      the time that the busiest DMA engine spends on reading the sources of a sum beyond the
//                  first. It comes after the two above, so it is the part that they did not hide.
//   contention     the rest: queues of links, rings and memory, and rounds that did not overlap
//
// The first, second and fourth overlap in a pipelined algorithm; time that is hidden by a part further
// up is not counted again.
#pragma once

#include <cstdint>
#include <vector>

#include "model/base/units.h"

namespace tahoma::runtime {

struct RankTimes {
  base::Time start, end;
  std::uint32_t core = 0;  // the first of the rank
};

// These bounds of a collective complement the times of its ranks.
struct SplitBounds {
  std::uint64_t rounds = 0;
  base::Duration empty_round;   // of an idle machine
  base::Duration busiest_link;  // its bytes over its rate
  base::Duration more_sources;  // reading them on the busiest DMA engine
};

struct TimeSplit {
  base::Duration latency, serialisation, contention, reduction, waiting;
  base::Duration total() const { return latency + serialisation + contention + reduction + waiting; }
};

// From the first start to the last end; at least one rank.
base::Duration time_of(const std::vector<RankTimes>& ranks);

TimeSplit split_time(const std::vector<RankTimes>& ranks, const SplitBounds& bounds);

}  // namespace tahoma::runtime
