// SPDX-License-Identifier: Apache-2.0
#include "report/regions/region_times.h"

#include <algorithm>

#include "model/base/shares.h"
#include "model/base/stall_text.h"
#include "report/files/engine_windows.h"

namespace tahoma::runtime {

using base::StallReason, base::Duration;

base::Duration KindTime::total() const {
  Duration sum{0};
  for (const Duration part : time) sum += part;
  return sum;
}

double KindTime::percent(StallReason name) const {
  return percent_of(time[static_cast<std::size_t>(name)], total());
}

std::optional<StallReason> KindTime::largest_stall() const { return base::largest_stall_of(time); }

KindTime& RegionTimes::time_of(std::uint32_t region, std::uint8_t queue) {
  if (regions_.size() <= region) regions_.resize(region + 1);
  return regions_[region][static_cast<std::size_t>(engine_of_queue(queue))];
}

void RegionTimes::book(std::uint32_t core, std::uint8_t queue, std::uint32_t region,
                       std::span<const Duration> so_far) {
  if (so_far.empty()) return;  // not recorded
  Engine& engine = engines_[core * isa::kQueueCount + queue];
  KindTime& own = time_of(region, queue);
  for (std::size_t n = 0; n < base::kStallReasons; ++n) own.time[n] += so_far[n] - engine.booked[n];
  std::copy(so_far.begin(), so_far.end(), engine.booked.begin());
  engine.used = true;
  engine.region = region;
}

void RegionTimes::finish(const base::RunMeasurement& run) {
  std::vector<std::uint8_t> queues(engines_.size() / isa::kQueueCount,
                                   0);  // seen of each core; they come in order
  for (const base::EngineMeasurement& measured : run.engines) {
    const std::uint8_t queue = queues.at(measured.core)++;
    const Engine& engine = engines_[measured.core * isa::kQueueCount + queue];
    if (!engine.used) continue;
    KindTime& whole = whole_[static_cast<std::size_t>(measured.kind)];
    for (std::size_t n = 0; n < base::kStallReasons; ++n) whole.time[n] += measured.time[n];
    StallTimes drained = measured.time;
    drained[static_cast<std::size_t>(StallReason::kIdle)] =
        engine.booked[static_cast<std::size_t>(StallReason::kIdle)];
    book(measured.core, queue, engine.region, drained);
  }
}

KindTimes RegionTimes::of(std::uint32_t region) const {
  return region < regions_.size() ? regions_[region] : KindTimes{};
}

}  // namespace tahoma::runtime
