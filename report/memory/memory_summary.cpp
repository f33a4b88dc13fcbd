// SPDX-License-Identifier: Apache-2.0
#include "report/memory/memory_summary.h"

#include <algorithm>

#include "model/base/shares.h"
#include "report/text/largest.h"
#include "report/text/saturation.h"

namespace tahoma::runtime {

using base::ChannelMeasurement, base::HbmMeasurement, base::LatencyMeasurement;

namespace {

std::uint64_t bytes_of(const HbmMeasurement& stack) { return stack.read_bytes + stack.write_bytes; }
std::uint64_t bytes_of(const HbmMeasurement::User& user) { return user.read_bytes + user.write_bytes; }

// Sums over the channels of all stacks; doubles, because the sums exceed the range of Duration.
struct DramSums {
  DramSummary summary;
  double hits = 0, misses = 0, conflicts = 0;
  double data = 0, refresh = 0, turnaround = 0, bank = 0, idle = 0;

  void add(const ChannelMeasurement& c) {
    ++(c.failed ? summary.failed_channels : summary.channels);
    if (c.failed) return;
    hits += static_cast<double>(c.row_hits);
    misses += static_cast<double>(c.row_misses);
    conflicts += static_cast<double>(c.row_conflicts);
    data += static_cast<double>(c.data.fs);
    refresh += static_cast<double>(c.lost_refresh.fs);
    turnaround += static_cast<double>(c.lost_turnaround.fs);
    bank += static_cast<double>(c.lost_bank.fs);
    idle += static_cast<double>(c.idle.fs);
    summary.reads.mean += c.mean_reads_queued;  // sums until shares() divides them
    summary.writes.mean += c.mean_writes_queued;
    summary.reads.most = std::max(summary.reads.most, c.most_reads_queued);
    summary.writes.most = std::max(summary.writes.most, c.most_writes_queued);
  }

  DramSummary shares() const {
    DramSummary s = summary;
    const double accesses = hits + misses + conflicts;
    const double time = data + refresh + turnaround + bank + idle;
    s.rows = {static_cast<std::uint64_t>(accesses), base::percent_of(hits, accesses),
              base::percent_of(misses, accesses), base::percent_of(conflicts, accesses)};
    s.pins = {base::percent_of(data, time), base::percent_of(refresh, time),
              base::percent_of(turnaround, time), base::percent_of(bank, time), base::percent_of(idle, time)};
    const double channels = std::max<double>(1, static_cast<double>(s.channels));
    s.reads.mean /= channels;
    s.writes.mean /= channels;
    return s;
  }
};

void add_latency(LatencySummary& all, const LatencyMeasurement& stack) {
  if (stack.count == 0) return;
  const double before = static_cast<double>(all.count), more = static_cast<double>(stack.count);
  all.mean_ns = (all.mean_ns * before + stack.mean.ns() * more) / (before + more);
  all.count += stack.count;
  all.p50_ns = std::max(all.p50_ns, stack.p50.ns());
  all.p90_ns = std::max(all.p90_ns, stack.p90.ns());
  all.p99_ns = std::max(all.p99_ns, stack.p99.ns());
  all.longest_ns = std::max(all.longest_ns, stack.longest.ns());
}

StackLoad load_of_stack(const HbmMeasurement& stack, base::Duration elapsed) {
  StackLoad load;
  load.name = stack.path;
  load.busy_percent = percent_of(stack.busy, elapsed);
  load.achieved_percent = achieved_percent(bytes_of(stack), stack.peak, elapsed);
  load.read_bytes = stack.read_bytes;
  load.write_bytes = stack.write_bytes;
  load.cores = stack.users.size();
  load.most_used = stack.users;
  keep_largest(load.most_used, kMostUsers, [](const auto& user) { return bytes_of(user); });
  return load;
}

// The first few in order of time; each stack keeps its own.
void keep_first(std::vector<StackEvent>& events) {
  std::stable_sort(events.begin(), events.end(),
                   [](const StackEvent& a, const StackEvent& b) { return a.event.when < b.event.when; });
  if (events.size() > kFirstEvents) events.resize(kFirstEvents);
}

void keep_busiest_stacks(HbmSummary& hbm) {
  keep_largest(hbm.busiest, kBusiestStacks, [](const StackLoad& load) { return load.busy_percent; });
  if (hbm.busiest.empty()) return;
  hbm.busiest_stack = hbm.busiest.front().name;
  hbm.busiest_percent = hbm.busiest.front().busy_percent;
}

}  // namespace

HbmSummary summarise_hbm(const model::MachineParams& machine, const base::RunMeasurement& run) {
  HbmSummary hbm;
  DramSums dram;
  double peak = 0;
  bool ideal = false;
  for (const HbmMeasurement& stack : run.hbm) {
    if (bytes_of(stack) == 0) continue;
    ++hbm.stacks_used;
    hbm.read_bytes += stack.read_bytes;
    hbm.write_bytes += stack.write_bytes;
    hbm.shared_stacks += stack.users.size() > 1 ? 1 : 0;
    hbm.events += stack.events;
    peak += static_cast<double>(stack.peak.bytes_per_second);
    ideal = ideal || stack.peak.ideal;
    if (saturated_windows(stack.series, run.elapsed) > 0) ++hbm.saturated_stacks;
    for (const ChannelMeasurement& channel : stack.channels) {
      dram.add(channel);
      hbm.corrected_errors += channel.corrected_errors;
    }
    for (const base::HbmEvent& event : stack.first_events) hbm.first_events.push_back({stack.path, event});
    add_latency(hbm.reads, stack.reads);
    add_latency(hbm.writes, stack.writes);
    hbm.busiest.push_back(load_of_stack(stack, run.elapsed));
  }
  keep_busiest_stacks(hbm);
  keep_first(hbm.first_events);
  if (!ideal) hbm.peak_bandwidth = peak;
  if (dram.summary.channels + dram.summary.failed_channels > 0) hbm.dram = dram.shares();
  for (const auto& [name, faults] : machine.instances.stacks) hbm.faults.push_back({name, faults});
  return hbm;
}

}  // namespace tahoma::runtime
