// SPDX-License-Identifier: Apache-2.0
#include "model/memory/hbm/dram_report.h"

#include <fmt/format.h>

#include <algorithm>

namespace tahoma::model {

using base::Duration;

namespace {

constexpr std::size_t kFirstEvents = 16;

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

}  // namespace

bool repeat_errors(CorrectableErrors& errors, const DramDesign& design, std::uint32_t channel,
                   dram::Segment& segment, base::ChannelMeasurement& counted, base::HbmMeasurement& stack) {
  const std::uint32_t met = errors.in(channel, segment.accesses);
  const std::uint32_t room = segment.write ? design.policy.write_queue : design.policy.read_queue;
  for (std::uint32_t n = 0; n < met; ++n) {
    ++counted.corrected_errors;
    ++stack.events;
    segment.accesses = std::min(segment.accesses + 1, room);
    if (stack.first_events.size() >= kFirstEvents) continue;
    stack.first_events.push_back(
        {design.timing.clock.edge({segment.arrival}),
         fmt::format("corrected error: channel {}, pseudo-channel {}, bank {}, row {}", channel,
                     segment.pseudo, segment.bank, segment.row)});
  }
  return met > 0;
}

void add_channels(const std::vector<CountedChannel>& channels, const DramDesign& design,
                  const StackFaults& faults, Duration elapsed, base::HbmMeasurement& stack) {
  const std::vector<std::uint32_t> failed = faults.failed();
  Duration data{0};
  for (std::size_t n = 0; n < channels.size(); ++n) {
    base::ChannelMeasurement c = measure_channel(channels[n].counted, channels[n].tally, design, elapsed);
    c.path = fmt::format("{}.channel{:02}", stack.path, n);
    c.peak = {stack.peak.bytes_per_second / channels.size(), false};
    c.failed = std::find(failed.begin(), failed.end(), n) != failed.end();
    data += c.data;
    stack.channels.push_back(std::move(c));
  }
  stack.busy = {data.fs / static_cast<std::int64_t>(channels.size())};
}

}  // namespace tahoma::model
