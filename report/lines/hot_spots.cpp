// SPDX-License-Identifier: Apache-2.0
#include "report/lines/hot_spots.h"

#include <algorithm>
#include <map>

namespace tahoma::runtime {

using base::Duration, base::StallReason;

namespace {

constexpr std::size_t kDma = base::kEngineKinds;  // beside the kinds of engines

Duration busy_on(const LineTime& line, std::size_t limit) {
  return limit == kDma ? Duration{line.counts.dma.fs / isa::kDmaEngines}
                       : line.engines[limit].time[static_cast<std::size_t>(StallReason::kBusy)];
}

Duration time_on(const LineTime& line, std::size_t limit) {
  return limit == kDma ? line.counts.dma : line.engines[limit].total();
}

std::size_t limit_of(const LineTime& whole) {
  std::size_t limit = 0;
  for (std::size_t n = 1; n <= kDma; ++n)
    if (busy_on(whole, n) > busy_on(whole, limit)) limit = n;
  return limit;
}

void find_largest_stall(HotSpot& spot) {
  for (std::size_t kind = 0; kind < base::kEngineKinds; ++kind) {
    const std::optional<StallReason> stall = spot.engines[kind].largest_stall();
    if (!stall) continue;
    const Duration time = spot.engines[kind].time[static_cast<std::size_t>(*stall)];
    if (time <= spot.stall_time) continue;
    spot.stall_time = time;
    spot.stall = base::name_of(*stall);
    spot.stalled_engine = base::name_of(static_cast<base::EngineKind>(kind));
  }
}

// Lines with the same key together, those with the largest share of `limit` first.
template <class Key>
std::vector<HotSpot> ranked(const LineTimes& times, std::size_t limit, Key key) {
  std::map<decltype(key(times.whole)), HotSpot> spots;
  for (const LineTime& line : times.lines) {
    HotSpot& spot = spots[key(line)];
    spot.file = line.file;
    spot.function = line.function;
    spot.line = line.line;
    if (spot.counts.instructions == 0)
      spot.callers = line.callers;
    else if (spot.callers != line.callers)
      spot.callers = "several";
    spot.add(line);
  }
  std::vector<HotSpot> list;
  for (auto& [unused, spot] : spots) {
    spot.share_percent = percent_of(time_on(spot, limit), time_on(times.whole, limit));
    find_largest_stall(spot);
    list.push_back(std::move(spot));
  }
  std::stable_sort(list.begin(), list.end(), [&](const HotSpot& a, const HotSpot& b) {
    return std::pair(time_on(a, limit), a.total()) > std::pair(time_on(b, limit), b.total());
  });
  return list;
}

}  // namespace

HotSpots hot_spots(const LineTimes& times) {
  HotSpots spots;
  if (times.lines.empty()) return spots;
  const std::size_t limit = limit_of(times.whole);
  spots.of_dma = limit == kDma;
  spots.limit = spots.of_dma ? "dma" : base::name_of(static_cast<base::EngineKind>(limit));
  spots.lines = ranked(times, limit, [](const LineTime& l) { return std::pair(l.file, l.line); });
  spots.functions = ranked(times, limit, [](const LineTime& l) { return std::pair(l.file, l.function); });
  for (HotSpot& function : spots.functions) {
    function.line = 0;
    function.callers.clear();
  }
  return spots;
}

}  // namespace tahoma::runtime
