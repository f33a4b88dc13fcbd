// SPDX-License-Identifier: Apache-2.0
#include "model/memory/hbm/dram_report.h"

#include <algorithm>

namespace tahoma::model {

using base::Duration;

namespace {

// Removes what the write queues drain after the run's last effect, so that the times add up.
void fit(base::ChannelMeasurement& c, Duration elapsed) {
  c.idle = elapsed - (c.data + c.lost_refresh + c.lost_turnaround + c.lost_bank);
  for (Duration* d : {&c.data, &c.lost_bank, &c.lost_turnaround, &c.lost_refresh}) {
    if (c.idle.fs >= 0) return;
    const Duration beyond = std::min(*d, Duration{-c.idle.fs});
    *d -= beyond;
    c.idle += beyond;
  }
}

}  // namespace

base::ChannelMeasurement measure_channel(const base::ChannelMeasurement& counted, const dram::Tally& t,
                                         const DramDesign& design, Duration elapsed) {
  const auto edge = [&](dram::Tick tick) { return design.timing.clock.edge({tick}); };
  const auto pins = static_cast<std::int64_t>(design.organisation.pseudo_channels);
  const auto mean = [&](dram::Tick ticks) { return Duration{edge(ticks).fs / pins}; };
  const double ticks = std::max(1.0, elapsed.seconds() / edge(1'000'000'000).seconds() * 1e9);
  base::ChannelMeasurement c = counted;
  static_cast<base::DramCounts&>(c) = t;
  c.data = mean(t.data);
  c.lost_refresh = mean(t.refresh);
  c.lost_turnaround = mean(t.turnaround);
  c.lost_bank = mean(t.bank);
  c.mean_reads_queued = static_cast<double>(t.read_queue_ticks) / ticks;
  c.mean_writes_queued = static_cast<double>(t.write_queue_ticks) / ticks;
  c.most_reads_queued = t.most_reads;
  c.most_writes_queued = t.most_writes;
  fit(c, elapsed);
  return c;
}

}  // namespace tahoma::model
