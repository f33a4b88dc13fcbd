// SPDX-License-Identifier: Apache-2.0
// Traffic that never lets up, offered to one HBM stack alone: what its DRAM makes of a pattern of addresses,
// of reads among writes, of refresh. No program, no core and no network, so that a figure compares with
// simulators of memory; pure arithmetic, no SystemC.
//
// Each request is cut into the segments of its DRAM rows. Every channel takes its segments in the order of
// the requests, reads and writes in one line, each as soon as its queue has room; the next is always waiting,
// so that no channel waits for another. The traffic is over with the last data, writes in the queues
// included.
//
// Leaves out faults of the stack: the stack is whole.
#pragma once

#include "model/base/measurements.h"
#include "model/memory/hbm/hbm_params.h"

namespace tahoma::model {

enum class TrafficPattern : std::uint8_t { kSequential, kStride, kRandom };

struct MemoryTraffic {
  TrafficPattern pattern = TrafficPattern::kSequential;
  base::Bytes stride{0};  // kStride: from one request to the next of its direction
  base::Bytes request{32};
  double read_fraction = 1;
  // 1: each request is a read with the probability `read_fraction`. More: reads and writes take turns, so
  // many requests each.
  std::uint64_t block = 1;
  std::uint64_t requests = 100'000;
  std::uint64_t seed = 1;

  // Reads walk from the first byte of the stack, writes from its middle, and begin again at its end; random
  // requests lie anywhere in it, each on a multiple of its size.
  base::Bytes step() const { return pattern == TrafficPattern::kStride ? stride : request; }
};

// Shares are of 1.
struct TrafficResult {
  base::Duration elapsed;
  double bytes_per_second = 0, of_peak = 0;
  base::LatencyMeasurement reads;  // segments: from their queue's entry to their last data
  // By access: the row was open; the bank was closed; another row was open.
  double row_hits = 0, row_misses = 0, row_conflicts = 0;
  // Of the time of all data pins; with what is idle they make up the whole.
  double data = 0, lost_refresh = 0, lost_turnaround = 0, lost_bank = 0;
};

// `params` have DRAM and passed check(); a request is at least a byte and at most the stack.
TrafficResult run_traffic(const HbmParams& params, const MemoryTraffic& traffic);

}  // namespace tahoma::model
