// SPDX-License-Identifier: Apache-2.0
// Measurements of a DRAM stack, from the tallies of its channels.
#include <fmt/format.h>

#include <algorithm>

#include "model/memory/hbm/dram_stack.h"

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

base::HbmMeasurement DramStack::measure(Duration elapsed) {
  for (Lane& lane : lanes_) decide(lane, past(elapsed));
  base::HbmMeasurement m = counted();
  m.peak = params_.bandwidth;
  m.series = series_.series();
  m.reads = reads_.measure();
  m.writes = writes_.measure();
  const std::vector<std::uint32_t> failed = faults_.failed();
  const auto pins = static_cast<std::int64_t>(design_->organisation.pseudo_channels);
  const auto mean = [&](dram::Tick ticks) { return Duration{edge(ticks).fs / pins}; };
  const double ticks = std::max(1.0, elapsed.seconds() / edge(1'000'000'000).seconds() * 1e9);
  Duration data{0};
  for (std::size_t n = 0; n < lanes_.size(); ++n) {
    const Lane& lane = lanes_[n];
    const dram::Tally& t = lane.channel->tally();
    base::ChannelMeasurement c = lane.counted;
    static_cast<base::DramCounts&>(c) = t;
    c.path = fmt::format("{}.channel{:02}", name(), n);
    c.data = mean(t.data);
    c.lost_refresh = mean(t.refresh);
    c.lost_turnaround = mean(t.turnaround);
    c.lost_bank = mean(t.bank);
    c.mean_reads_queued = static_cast<double>(t.read_queue_ticks) / ticks;
    c.mean_writes_queued = static_cast<double>(t.write_queue_ticks) / ticks;
    c.most_reads_queued = t.most_reads;
    c.most_writes_queued = t.most_writes;
    c.peak = {params_.bandwidth.bytes_per_second / lanes_.size(), false};
    c.failed = std::find(failed.begin(), failed.end(), n) != failed.end();
    fit(c, elapsed);
    data += c.data;
    m.channels.push_back(std::move(c));
  }
  m.busy = {data.fs / static_cast<std::int64_t>(lanes_.size())};
  return m;
}

}  // namespace tahoma::model
