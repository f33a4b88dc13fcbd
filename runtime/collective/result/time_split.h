// SPDX-License-Identifier: Apache-2.0
// Where the time of one collective went. The time is that from the first rank's start to the last rank's end;
// its five parts are taken from it one after the other, each at most what the ones before have left, so that
// they add up to it by construction:
//
//   waiting        for the slowest rank: the mean over the ranks of (last start - own start), before it came,
//                  and of (last end - own end), after the others were done; an end before the last start
//                  counts as one at it. Measured, so it comes first. A rank of n that ends later than all
//                  others by d makes it d (n - 1) / n, and so does one that starts later.
//   serialisation  the bytes of this collective on the link that carried most of them for its rate, over that
//                  rate: no algorithm that puts these bytes on these links can do without it
//   latency        the rounds that follow each other, each as long as the model's closed form says of one
//   that
//                  moves nothing: doorbell, descriptors, flight, semaphores
//   reduction      the time that the busiest DMA engine spends on reading the sources of a sum beyond the
//                  first. Behind the two above, so it is what they did not hide.
//   contention     all the rest: queues of links, rings and memory, and rounds that did not overlap
//
// The first, second and fourth overlap in a pipelined algorithm; what is hidden behind a part further up is
// not counted again.
#pragma once

#include <cstdint>
#include <vector>

#include "model/base/units.h"

namespace tahoma::runtime {

struct RankTimes {
  base::Time start, end;
};

// What is known of a collective beside its ranks' times.
struct SplitBounds {
  std::uint64_t rounds = 0;
  base::Duration empty_round;   // closed form
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
