// SPDX-License-Identifier: Apache-2.0
// The HBM of a run, reduced: over the stacks that moved at least one byte. Rows, pins and queues are those of
// the DRAM behind them, over all channels that have not failed; a flat stack has none. Single channels stand
// in hbm.csv, single stacks and their users in the statistics.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/base/measurements.h"
#include "model/system/machine_params.h"

namespace tahoma::runtime {

// Percent; the accesses of DRAM, and the time of its data pins. Each adds up to 100, or is all 0.
struct RowShares {
  std::uint64_t accesses = 0;
  double hit = 0, miss = 0, conflict = 0;
};
struct PinShares {
  double data = 0, refresh = 0, turnaround = 0, bank = 0, idle = 0;
};

struct QueueSummary {      // accesses of a channel's queue
  double mean = 0;         // over the run and the channels
  std::uint64_t most = 0;  // in any channel at any time
};

struct DramSummary {
  std::uint64_t channels = 0, failed_channels = 0;
  RowShares rows;
  PinShares pins;
  QueueSummary reads, writes;
};

// Nanoseconds. The mean is over all requests; a percentile is that of the stack where it is largest.
struct LatencySummary {
  std::uint64_t count = 0;
  double mean = 0, p50 = 0, p90 = 0, p99 = 0, longest = 0;
};

struct StackLoad {
  std::string name;
  double busy_percent = 0, achieved_percent = 0;  // of its peak; 0 where that is ideal
  std::uint64_t read_bytes = 0, write_bytes = 0;
  std::uint64_t cores = 0;                            // that used it
  std::vector<base::HbmMeasurement::User> most_used;  // at most kMostUsers, most bytes first
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
  std::uint64_t stacks_used = 0;
  double achieved_bandwidth = 0;         // bytes per second, reads and writes
  std::optional<double> peak_bandwidth;  // of the stacks used; none when a stack is `ideal`
  std::string busiest_stack;             // "" when nothing moved
  double busiest_percent = 0;
  std::uint64_t saturated_stacks = 0;
  std::uint64_t shared_stacks = 0;  // used by more than one core
  std::vector<StackLoad> busiest;   // at most kBusiestStacks, busiest first
  std::optional<DramSummary> dram;  // none when every stack is flat
  LatencySummary reads, writes;     // none counted where the model does not say
  std::uint64_t corrected_errors = 0, events = 0;
  std::vector<StackEvent> first_events;  // at most kFirstEvents, in order of time
  std::vector<StackFault> faults;        // as configured
};

HbmSummary summarise_hbm(const model::MachineParams& machine, const base::RunMeasurement& run);

}  // namespace tahoma::runtime
