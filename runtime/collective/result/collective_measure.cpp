// SPDX-License-Identifier: Apache-2.0
#include "runtime/collective/result/collective_measure.h"

#include <algorithm>
#include <cmath>

#include "runtime/collective/cost/cost.h"
#include "runtime/collective/result/sent_counts.h"

namespace tahoma::runtime::collective {

namespace {

base::Duration duration(double seconds) { return {std::llround(seconds * 1e15)}; }

}  // namespace

RankTimes times_of(const Stopwatch& stopwatch, const std::vector<Stopwatch::Span>& spans) {
  RankTimes times{stopwatch.begin(spans.front()), stopwatch.end(spans.front()), spans.front().core};
  for (const Stopwatch::Span& span : spans) {
    times.start = std::min(times.start, stopwatch.begin(span));
    times.end = std::max(times.end, stopwatch.end(span));
  }
  return times;
}

CollectiveResult measured(Estimates& estimates, const Group& group, const PlannedCollective& planned,
                          std::uint64_t bytes, std::vector<RankTimes> ranks) {
  const Problem& problem = planned.spec.problem;
  CollectiveResult result;
  result.operation = name_of(problem.operation);
  result.algorithm = planned.spec.algorithm->name;
  result.bytes = bytes;
  result.dtype = planned.spec.dtype;
  result.bus_factor = bus_factor_of(problem, planned.spec.counts);
  result.ranks = std::move(ranks);
  result.group_ranks = problem.ranks;
  std::vector<std::uint64_t> chunk_bytes;
  for (const std::uint64_t count : planned.spec.counts)
    chunk_bytes.push_back(count * isa::size_of(planned.spec.dtype));
  const Cost& cost =
      estimates.cost(*planned.spec.algorithm, problem, group, {bytes, chunk_bytes}, planned.together);
  result.estimate = duration(cost.seconds);
  result.split = split_time(result.ranks, {cost.rounds, duration(cost.empty_round), duration(cost.link),
                                           duration(cost.more_sources)});
  return result;
}

}  // namespace tahoma::runtime::collective
