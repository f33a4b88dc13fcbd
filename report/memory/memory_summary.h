// SPDX-License-Identifier: Apache-2.0
// The summary of a run's HBM, over the stacks that moved at least one byte. Rows, pins and queues are those
// of the DRAM, over all channels that have not failed; a flat stack has none. hbm.csv has single channels,
// and the statistics have single stacks and their users.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/base/measurements.h"
#include "model/system/machine/machine_params.h"

namespace tahoma::runtime {

// Percent of the DRAM's accesses and of the time of its data pins. Each adds up to 100, or all are 0.
struct RowShares {
  TAHOMA_STATISTICS(RowShares);
  TAHOMA_COUNTER(std::uint64_t, accesses, kCount, "accesses of the DRAM");
  TAHOMA_LEVEL(double, hit_percent, kPercent, "accesses that found their row open");
  TAHOMA_LEVEL(double, miss_percent, kPercent, "accesses that found their bank closed", kLess);
  TAHOMA_LEVEL(double, conflict_percent, kPercent, "accesses that found another row open", kLess);
};
struct PinShares {
  TAHOMA_STATISTICS(PinShares);
  TAHOMA_LEVEL(double, data_percent, kPercent, "data on the pins");
  TAHOMA_LEVEL(double, refresh_percent, kPercent, "pins idle because of a refresh", kLess);
  TAHOMA_LEVEL(double, turnaround_percent, kPercent, "pins turning between reads and writes", kLess);
  TAHOMA_LEVEL(double, bank_percent, kPercent, "pins waiting for banks, bank groups or activates", kLess);
  TAHOMA_LEVEL(double, idle_percent, kPercent, "pins idle without work", kLess);
};

struct QueueSummary {  // accesses of a channel's queue
  TAHOMA_STATISTICS(QueueSummary);
  TAHOMA_LEVEL(double, mean, kCount,
               "accesses in the queue of a channel, mean over the run and the channels");
  TAHOMA_LEVEL(std::uint64_t, most, kCount, "most accesses in the queue of any channel");
};

struct DramSummary {
  std::uint64_t channels = 0, failed_channels = 0;
  RowShares rows;
  PinShares pins;
  QueueSummary reads, writes;
};

// The mean is over all requests; a percentile is that of the stack with the largest value.
struct LatencySummary {
  TAHOMA_STATISTICS(LatencySummary);
  TAHOMA_COUNTER(std::uint64_t, count, kCount, "requests served");
  TAHOMA_LEVEL(double, mean_ns, kNanoseconds, "mean latency");
  TAHOMA_LEVEL(double, p50_ns, kNanoseconds, "latency that half of the requests did not exceed");
  TAHOMA_LEVEL(double, p90_ns, kNanoseconds, "latency that 90 % of the requests did not exceed");
  TAHOMA_LEVEL(double, p99_ns, kNanoseconds, "latency that 99 % of the requests did not exceed");
  TAHOMA_LEVEL(double, longest_ns, kNanoseconds, "longest latency");
};

struct StackLoad {
  std::string name;
  std::vector<base::HbmMeasurement::User> most_used;  // at most kMostUsers, most bytes first

  TAHOMA_STATISTICS(StackLoad);
  TAHOMA_LEVEL(double, busy_percent, kPercent, "time the stack's bandwidth was in use");
  TAHOMA_LEVEL(double, achieved_percent, kPercent,
               "bytes moved over what the peak would have moved; 0 if the peak is ideal");
  TAHOMA_LEVEL(std::uint64_t, read_bytes, kBytes, "bytes read");
  TAHOMA_LEVEL(std::uint64_t, write_bytes, kBytes, "bytes written");
  TAHOMA_LEVEL(std::uint64_t, cores, kCount, "cores that used the stack");
};
inline constexpr std::size_t kBusiestStacks = 4;
inline constexpr std::size_t kMostUsers = 8;

struct StackEvent {
  std::string stack;
  base::HbmEvent event;
};
inline constexpr std::size_t kFirstEvents = 16;

struct StackFault {
  std::string stack;
  model::StackFaults faults;
};

struct HbmSummary {
  std::uint64_t read_bytes = 0, write_bytes = 0;

  TAHOMA_STATISTICS(HbmSummary);
  TAHOMA_FIGURE(std::uint64_t, bytes, kBytes, "bytes read and written", self.read_bytes + self.write_bytes);
  TAHOMA_COUNTER(std::uint64_t, stacks_used, kCount, "stacks that moved at least one byte");
  TAHOMA_FIGURE(double, achieved_bandwidth, kBytesPerSecond, "bytes read and written over the elapsed time",
                base::per_second(static_cast<double>(self.read_bytes + self.write_bytes), elapsed));
  TAHOMA_LEVEL(std::optional<double>, peak_bandwidth, kBytesPerSecond,
               "peak of the stacks used; none when one of them is ideal");

  std::string busiest_stack;  // "" when nothing moved
  double busiest_percent = 0;
  std::uint64_t saturated_stacks = 0;
  std::uint64_t shared_stacks = 0;  // used by more than one core
  std::vector<StackLoad> busiest;   // at most kBusiestStacks, busiest first
  std::optional<DramSummary> dram;  // none when every stack is flat
  LatencySummary reads, writes;     // empty if the model does not measure them
  std::uint64_t corrected_errors = 0, events = 0;
  std::vector<StackEvent> first_events;  // at most kFirstEvents, in order of time
  std::vector<StackFault> faults;        // as configured

  std::optional<double> bandwidth_percent(base::Duration elapsed) const {  // achieved of the peak
    if (!peak_bandwidth) return std::nullopt;
    return base::percent_of(achieved_bandwidth(elapsed), *peak_bandwidth);
  }
};

HbmSummary summarise_hbm(const model::MachineParams& machine, const base::RunMeasurement& run);

}  // namespace tahoma::runtime
