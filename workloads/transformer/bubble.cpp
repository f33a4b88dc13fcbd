// SPDX-License-Identifier: Apache-2.0
#include "workloads/transformer/bubble.h"

#include <algorithm>
#include <map>
#include <numeric>

namespace tahoma::workloads {

using namespace runtime::collective;

namespace {

using Microbatches = std::vector<std::pair<base::Time, base::Time>>;

struct CoreMicrobatches {
  std::size_t stage = 0;
  Microbatches all;
};

// By core; the first stage has its microbatches from the beginning.
std::map<std::uint32_t, CoreMicrobatches> microbatches_of(const TransformerParams& params,
                                                          const Stages& stages, const Stopwatch& stopwatch) {
  std::map<std::uint32_t, CoreMicrobatches> cores;
  for (const Stages::Group& group : stages.groups())
    for (const PhasePrograms::Done& done : group.programs->done())
      for (const Replica::RankCores& place : group.replica->alike()) {
        const std::uint32_t core = place.cores[done.rank][done.physical_core];
        CoreMicrobatches& of_core = cores[core];
        of_core.stage = group.programs->station().stage;
        of_core.all.resize(params.microbatches, {base::Time{0}, base::Time{0}});
        of_core.all[done.microbatch].second = stopwatch.end({core, Handover::kQueue, done.mark, done.mark});
      }
  for (const auto& handover : stages.handovers())
    for (const Handover::Trip& trip : handover->trips(stopwatch))
      cores.at(trip.to).all[trip.microbatch].first = trip.times.end;
  return cores;
}

// Work on the microbatches after the first one.
base::Duration after_the_first(const Microbatches& microbatches) {
  return {at_work(microbatches).fs - at_work({microbatches.front()}).fs};
}

}  // namespace

double Bubble::closed_form(const TransformerParams& params) {
  const double microbatches = static_cast<double>(params.microbatches),
               stages = static_cast<double>(params.parallel.pipeline);
  if (params.stages.empty()) return (stages - 1) / (microbatches + stages - 1);
  const std::vector<std::uint64_t> layers = params.stage_layers();
  const double all = static_cast<double>(params.layers),
               longest = static_cast<double>(*std::max_element(layers.begin(), layers.end()));
  return 1 - microbatches * all / stages / (all + (microbatches - 1) * longest);
}

double full_pipeline_seconds(const std::vector<double>& stages, double microbatches, double hand_over) {
  const double through =
      std::accumulate(stages.begin(), stages.end(), 0.0) + static_cast<double>(stages.size() - 1) * hand_over;
  return std::max(microbatches * *std::max_element(stages.begin(), stages.end()), through);
}

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
  std::int64_t cores = 0, work = 0, trips = 0, way = 0, first_trips = 0, first_way = 0;
  const std::int64_t steady = std::max<std::int64_t>(1, microbatches - 1);
  std::vector<base::Duration> of_stage(params.parallel.pipeline, base::Duration{0});
  for (const auto& stages : replicas) {
    for (const auto& [core, own] : microbatches_of(params, *stages, stopwatch)) {
      work += at_work(own.all).fs;
      of_stage[own.stage].fs += (steady < microbatches ? after_the_first(own.all) : at_work(own.all)).fs;
      ++cores;
    }
    for (const auto& handover : stages->handovers())
      for (const Handover::Trip& trip : handover->trips(stopwatch)) {
        const std::int64_t time = (trip.times.end - trip.times.start).fs;
        way += time;
        ++trips;
        if (trip.microbatch > 0) continue;
        first_way += time;
        ++first_trips;
      }
  }
  const double mean = static_cast<double>(work) / static_cast<double>(cores);
  const std::int64_t cores_of_stage = cores / static_cast<std::int64_t>(of_stage.size());
  for (base::Duration& stage : of_stage) stage.fs /= cores_of_stage * steady;
  return {1 - mean / static_cast<double>(elapsed.fs),
          {work / cores / microbatches},
          {way / trips},
          of_stage,
          {first_way / first_trips}};
}

}  // namespace tahoma::workloads
