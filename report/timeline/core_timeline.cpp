// SPDX-License-Identifier: Apache-2.0
#include "report/timeline/core_timeline.h"

#include <algorithm>

#include "model/base/stall_text.h"

namespace tahoma::runtime {

using base::Duration, base::StallReason;

namespace {

constexpr std::size_t kMostCells = 256;
constexpr Duration kFirstShortest{1'000'000};  // 1 ns: less than a cycle of any engine

void unite(TimelineCell& cell, const TimelineCell& later) {
  cell.to = later.to;
  cell.busy += later.busy;
  cell.instructions += later.instructions;
  if (later.longest <= cell.longest) return;
  cell.longest = later.longest;
  cell.reason = later.reason;
  cell.index = later.index;
}

void append(std::vector<TimelineCell>& cells, const TimelineCell& cell, Duration shortest) {
  if (!cells.empty() && cell.to - cells.back().from <= shortest)
    unite(cells.back(), cell);
  else
    cells.push_back(cell);
}

void append(CoreTimeline::Track& track, const TimelineCell& cell) {
  append(track.cells, cell, track.shortest);
  while (track.cells.size() > kMostCells) {
    track.shortest = std::max(track.shortest + track.shortest, kFirstShortest);
    std::vector<TimelineCell> fewer;
    for (const TimelineCell& each : track.cells) append(fewer, each, track.shortest);
    track.cells = std::move(fewer);
  }
}

// The stall reason with the largest part of the time since the last instruction.
StallReason largest_since(const base::StallTimes& before, std::span<const Duration> now) {
  base::StallTimes since{};
  for (std::size_t n = 0; n < std::min(now.size(), since.size()); ++n) since[n] = now[n] - before[n];
  return base::largest_stall_of(since).value_or(StallReason::kIdle);
}

}  // namespace

CoreTimeline::CoreTimeline(std::uint64_t machine_cores, const std::vector<std::uint32_t>& cores)
    : first_track_(machine_cores, kNone) {
  for (const std::uint32_t core : cores) {
    first_track_[core] = static_cast<std::uint32_t>(tracks_.size());
    for (std::uint8_t queue = 0; queue < isa::kQueueCount; ++queue)
      tracks_.push_back({core, queue, {}, {}, {}});
  }
}

void CoreTimeline::add(Track& track, const base::InstructionActivity& a) {
  const base::Time end = track.cells.empty() ? base::Time{0} : track.cells.back().to;
  if (a.start > end) {
    TimelineCell wait{end, a.start, {}, 0, a.start - end, largest_since(track.so_far, a.engine_time), 0};
    append(track, wait);
  }
  const base::Time from = std::max(a.start, end), to = std::max(from, a.start + a.busy);
  append(track, {from, to, to - from, 1, to - from, StallReason::kBusy, a.index});
  std::copy_n(a.engine_time.begin(), std::min(a.engine_time.size(), track.so_far.size()),
              track.so_far.begin());
}

}  // namespace tahoma::runtime
