// SPDX-License-Identifier: Apache-2.0
#include "runtime/collective/result/time_split.h"

#include <fmt/format.h>

#include <algorithm>

#include "model/base/error.h"

namespace tahoma::runtime {

using base::Duration, base::Time;

namespace {

struct Extent {
  Time first_start, last_start, last_end;
};

Extent extent_of(const std::vector<RankTimes>& ranks) {
  TAHOMA_INVARIANT(!ranks.empty(), "a collective without ranks");
  Extent extent{ranks.front().start, ranks.front().start, ranks.front().end};
  for (const RankTimes& rank : ranks) {
    TAHOMA_INVARIANT(rank.start <= rank.end,
                     fmt::format("a rank starts at {} fs and ends at {} fs", rank.start.fs, rank.end.fs));
    extent.first_start = std::min(extent.first_start, rank.start);
    extent.last_start = std::max(extent.last_start, rank.start);
    extent.last_end = std::max(extent.last_end, rank.end);
  }
  return extent;
}

Duration waiting_of(const std::vector<RankTimes>& ranks, const Extent& extent) {
  base::Int128 sum = 0;
  for (const RankTimes& rank : ranks)
    sum += (extent.last_start - rank.start).fs + (extent.last_end - std::max(rank.end, extent.last_start)).fs;
  return {static_cast<std::int64_t>(sum / static_cast<base::Int128>(ranks.size()))};
}

// `rounds` times the time of an empty round, limited to `most`; both may be arbitrarily large.
Duration latency_of(const SplitBounds& bounds, Duration most) {
  const auto product = static_cast<base::Int128>(bounds.empty_round.fs) * bounds.rounds;
  return product < most.fs ? Duration{static_cast<std::int64_t>(product)} : most;
}

}  // namespace

Duration time_of(const std::vector<RankTimes>& ranks) {
  const Extent extent = extent_of(ranks);
  return extent.last_end - extent.first_start;
}

TimeSplit split_time(const std::vector<RankTimes>& ranks, const SplitBounds& bounds) {
  for (const Duration part : {bounds.empty_round, bounds.busiest_link, bounds.more_sources})
    TAHOMA_INVARIANT(part.fs >= 0, "a bound of a collective's time is negative");
  Duration left = time_of(ranks);
  const auto take = [&left](Duration part) {
    const Duration taken = std::min(part, left);
    left -= taken;
    return taken;
  };
  TimeSplit split;
  split.waiting = take(waiting_of(ranks, extent_of(ranks)));
  split.serialisation = take(bounds.busiest_link);
  split.latency = take(latency_of(bounds, left));
  split.reduction = take(bounds.more_sources);
  split.contention = left;
  return split;
}

}  // namespace tahoma::runtime
