// SPDX-License-Identifier: Apache-2.0
#include "runtime/collective/lowering/planned_collective.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "runtime/collective/cost/sizing.h"
#include "runtime/collective/schedule/channel_semaphores.h"
#include "runtime/collective/schedule/collective_channel.h"
#include "runtime/collective/schedule/itinerary.h"
#include "runtime/run/placement.h"

namespace tahoma::runtime::collective {

namespace {

constexpr std::uint64_t kAccess = 64;  // bytes

// Each channel's slice of every chunk, in whole accesses.
std::vector<PlannedCollective::Slice> equal_slices(const PlannedCollective& planned) {
  const std::uint64_t access = access_elements(planned.spec.dtype);
  const std::uint64_t all = (planned.chunk_elements + access - 1) / access;
  std::vector<PlannedCollective::Slice> result;
  double share = 0;
  std::uint64_t first = 0;
  for (const ChannelPlan& channel : planned.plan) {
    share += channel.share;
    const bool last = result.size() + 1 == planned.plan.size();
    const std::uint64_t end =
        last ? all : static_cast<std::uint64_t>(std::llround(share * static_cast<double>(all)));
    result.push_back({first * access, (end - first) * access});
    first = end;
  }
  return result;
}

// Returns the channel's columns of each chunk; one entry if all are equal.
std::vector<std::uint64_t> units_of(const PlannedCollective& planned, const PlannedCollective::Slice& slice) {
  if (planned.spec.chunk_elements == 0) return {slice.count};
  std::vector<std::uint64_t> units;
  for (std::uint32_t k = 0; k < planned.chunks; ++k) {
    const std::uint64_t begin = k * planned.chunk_elements + slice.first;
    const std::uint64_t end =
        std::min({begin + slice.count, (k + 1) * planned.chunk_elements, planned.spec.elements});
    units.push_back(end > begin ? end - begin : 0);
  }
  if (std::equal(units.begin() + 1, units.end(), units.begin())) units.resize(1);
  return units;
}

std::vector<PlannedChannel> channels_of(const PlannedCollective& planned) {
  std::vector<PlannedChannel> channels;
  for (const PlannedCollective::Slice& slice : equal_slices(planned)) {
    PlannedChannel& at = channels.emplace_back();
    at.first = slice.first;
    if (planned.spec.counts.empty()) at.units = units_of(planned, slice);
    for (const std::uint64_t count : planned.spec.counts)
      at.units.push_back(part_of(count, planned.plan.size(), channels.size() - 1).count);
    at.columns = *std::max_element(at.units.begin(), at.units.end());
  }
  return channels;
}

// Unequal chunks are transferred one by one.
void separate_chunks(PlannedCollective& planned) {
  std::map<const Schedule*, std::shared_ptr<const Schedule>> separated;
  for (std::size_t c = 0; c < planned.channels.size(); ++c) {
    if (planned.channels[c].units.size() == 1) continue;
    std::shared_ptr<const Schedule>& schedule = planned.plan[c].schedule;
    auto& by_chunk = separated[schedule.get()];
    if (!by_chunk) by_chunk = std::make_shared<const Schedule>(one_by_one(*schedule));
    schedule = by_chunk;
  }
}

// Returns the columns of a piece. A channel with only a part of the links takes longer per byte, and is split
// as if it had proportionally more columns.
std::uint64_t piece_of(const Spec& spec, const Schedule& schedule, std::uint64_t columns, bool uneven,
                       std::uint32_t sharers, std::uint32_t signals) {
  const std::uint64_t bytes = columns * isa::size_of(spec.dtype), access = access_elements(spec.dtype);
  const std::uint64_t pieces = spec.piece_bytes > 0 ? std::max<std::uint64_t>(1, bytes / spec.piece_bytes)
                                                    : pieces_for(schedule, bytes * sharers, uneven, signals);
  return std::max(access, ((columns + pieces - 1) / pieces + access - 1) / access * access);
}

// A sum is rounded when it leaves a rank, in as many rounds as combine, and when it is settled: once, plus
// once for every 15 sources beyond the first 16.
std::uint32_t roundings_of(const Schedule& schedule) {
  std::set<std::uint32_t> rounds;
  std::size_t most = 1;  // of a settled chunk
  const Itinerary it = follow(schedule);
  for (std::size_t i = 0; i < it.hops.size(); ++i) {
    const Transfer& t = schedule.transfers[i];
    if (t.kind == TransferKind::kCombine) rounds.insert(t.round);
    if (t.kind == TransferKind::kSettle) most = std::max(most, it.hops[i].staged.size() + 1);
  }
  const std::size_t more = most <= isa::kMostSources ? 0 : (most - 2) / (isa::kMostSources - 1);
  return static_cast<std::uint32_t>(rounds.size() + 1 + more);
}

}  // namespace

std::string Spec::name() const {
  return fmt::format("{}-{}", name_of(problem.operation), elements * isa::size_of(dtype));
}

std::uint64_t access_elements(isa::DType dtype) { return kAccess / isa::size_of(dtype); }

std::uint32_t queues_of(const Group& group) {
  return static_cast<std::uint32_t>(2 * group.cores.front().size());
}

PlannedCollective::Slice PlannedCollective::slice_of(std::uint32_t channel, std::uint32_t chunk) const {
  const PlannedChannel& at = channels[channel];
  if (!spec.counts.empty()) {
    const Part part = part_of(spec.counts[chunk], channels.size(), channel);
    return {part.first, part.count};
  }
  return {at.first, at.units.size() == 1 ? at.columns : at.units[chunk]};
}

PlannedCollective cut_up(const Spec& spec, const Group& group) {
  PlannedCollective planned;
  planned.spec = spec;
  const std::uint64_t whole =
      spec.chunk_elements > 0 ? spec.chunk_elements * spec.problem.fixed_chunks() : spec.elements;
  const std::uint32_t wanted = spec.channels == 0
                                   ? channels_for(*spec.algorithm, spec.problem, group.grid,
                                                  whole * isa::size_of(spec.dtype), queues_of(group))
                                   : std::min(spec.channels, queues_of(group));
  planned.together = spec.algorithm->plan(spec.problem, group.grid, wanted * group.sharers);
  planned.plan = part_of_plan(planned.together, group.share, wanted);
  planned.chunks = planned.plan.front().schedule->chunks;
  planned.chunk_elements = !spec.counts.empty() ? *std::max_element(spec.counts.begin(), spec.counts.end())
                           : spec.chunk_elements > 0 ? spec.chunk_elements
                                                     : (spec.elements + planned.chunks - 1) / planned.chunks;
  planned.channels = channels_of(planned);
  separate_chunks(planned);

  const std::uint32_t per_core = planned.plan.size() > group.cores.front().size() ? 2 : 1,
                      signals = spec.signals > 0 ? spec.signals : kSignals / per_core;
  std::map<std::pair<const Schedule*, std::uint64_t>, std::uint64_t> piece_by;
  for (std::size_t c = 0; c < planned.channels.size(); ++c) {
    PlannedChannel& at = planned.channels[c];
    if (at.columns == 0) continue;
    const Schedule& schedule = *planned.plan[c].schedule;
    std::uint64_t& piece = piece_by[{&schedule, at.columns}];
    if (piece == 0) piece = piece_of(spec, schedule, at.columns, at.units.size() > 1, group.sharers, signals);
    at.piece = piece;
    planned.roundings = std::max(planned.roundings, roundings_of(schedule));
  }
  return planned;
}

}  // namespace tahoma::runtime::collective
