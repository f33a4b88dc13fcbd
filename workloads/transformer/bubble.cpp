// SPDX-License-Identifier: Apache-2.0
#include "workloads/transformer/bubble.h"

#include <algorithm>
#include <map>

namespace tahoma::workloads {

using namespace runtime::collective;

namespace {

using Microbatches = std::vector<std::pair<base::Time, base::Time>>;

// By core; the first stage has its microbatches from the beginning.
std::map<std::uint32_t, Microbatches> microbatches_of(const TransformerParams& params, const Stages& stages,
                                                      const Stopwatch& stopwatch) {
  std::map<std::uint32_t, Microbatches> cores;
  for (const Stages::Group& group : stages.groups())
    for (const PhasePrograms::Done& done : group.programs->done())
      for (const Replica::RankCores& place : group.replica->alike()) {
        const std::uint32_t core = place.cores[done.rank][done.physical_core];
        Microbatches& of_core = cores[core];
        of_core.resize(params.microbatches, {base::Time{0}, base::Time{0}});
        of_core[done.microbatch].second = stopwatch.end({core, Handover::kQueue, done.mark, done.mark});
      }
  for (const auto& handover : stages.handovers())
    for (const Handover::Trip& trip : handover->trips(stopwatch))
      cores.at(trip.to)[trip.microbatch].first = trip.times.end;
  return cores;
}

}  // namespace

base::Duration at_work(const Microbatches& microbatches) {
  base::Duration sum{0};
  base::Time free{0};
  for (const auto& [there, done] : microbatches) {
    sum.fs += (done - std::max(free, there)).fs;
    free = done;
  }
  return sum;
}

Bubble bubble_of(const TransformerParams& params, const AllStages& replicas, const Stopwatch& stopwatch,
                 base::Duration elapsed) {
  const auto microbatches = static_cast<std::int64_t>(params.microbatches);
  if (params.parallel.pipeline == 1) return {0, {elapsed.fs / microbatches}, {0}};
  std::int64_t cores = 0, work = 0, trips = 0, way = 0;
  for (const auto& stages : replicas) {
    for (const auto& [core, own] : microbatches_of(params, *stages, stopwatch)) {
      work += at_work(own).fs;
      ++cores;
    }
    for (const auto& handover : stages->handovers())
      for (const Handover::Trip& trip : handover->trips(stopwatch)) {
        way += (trip.times.end - trip.times.start).fs;
        ++trips;
      }
  }
  const double mean = static_cast<double>(work) / static_cast<double>(cores);
  return {1 - mean / static_cast<double>(elapsed.fs), {work / cores / microbatches}, {way / trips}};
}

}  // namespace tahoma::workloads
