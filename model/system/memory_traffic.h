// SPDX-License-Identifier: Apache-2.0
// Traffic that never lets up, offered to one HBM stack alone: what its DRAM makes of a pattern of addresses,
// of reads among writes, of refresh. No program, no core and no network, so that a figure compares with
// simulators of memory; pure arithmetic, no SystemC.
//
// Requests come in order: each is cut into the segments of its DRAM rows, and each segment waits until the
// queue of its channel has room, with all the others behind it. A request is over with its last data, the
// traffic with that of its last request, writes in the queues included.
//
// Leaves out faults of the stack: the stack is whole.
#pragma once

#include "model/base/measurements.h"
#include "model/memory/hbm_params.h"

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
  base::LatencyMeasurement reads;  // from the first segment's entry to the last data
  // By access: the row was open; the bank was closed; another row was open.
  double row_hits = 0, row_misses = 0, row_conflicts = 0;
  // Of the time of all data pins; with what is idle they make up the whole.
  double data = 0, lost_refresh = 0, lost_turnaround = 0, lost_bank = 0;
};

// `params` have DRAM and passed check(); a request is at least a byte and at most the stack.
TrafficResult run_traffic(const HbmParams& params, const MemoryTraffic& traffic);

}  // namespace tahoma::model
