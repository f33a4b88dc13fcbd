// SPDX-License-Identifier: Apache-2.0
// Offers saturating synthetic traffic to one HBM stack alone and measures how its DRAM handles address
// patterns, mixed reads and writes, and refresh. There are no programs, cores or networks, so the figures are
// comparable with memory simulators. It is pure arithmetic without SystemC.
//
// Each request is split into the segments of its DRAM rows. Every channel takes its segments in the order of
// the requests, reads and writes in one sequence, each as soon as its queue has space. The next segment is
// always available, so no channel waits for another. The traffic ends with the last data, including writes
// in the queues.
//
// Not modelled: faults of the stack.
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
  // With 1, each request is a read with probability `read_fraction`. With more, reads and writes alternate in
  // blocks of this many requests.
  std::uint64_t block = 1;
  std::uint64_t requests = 100'000;
  std::uint64_t seed = 1;

  // Reads advance from the first byte of the stack, writes from its middle, and both wrap at its end. Random
  // requests are anywhere in the stack, each at a multiple of its size.
  base::Bytes step() const { return pattern == TrafficPattern::kStride ? stride : request; }
};

// Shares are fractions of 1.
struct TrafficResult {
  base::Duration elapsed;
  double bytes_per_second = 0, of_peak = 0;
  base::LatencyMeasurement reads;  // segments: from entering the queue to their last data
  // Accesses whose row was open, whose bank was closed, and whose bank had another row open.
  double row_hits = 0, row_misses = 0, row_conflicts = 0;
  // Fractions of the time of all data pins; together with idle time they add up to 1.
  double data = 0, lost_refresh = 0, lost_turnaround = 0, lost_bank = 0;
};

// `params` have DRAM and have passed check(); a request is at least one byte and at most the stack.
TrafficResult run_traffic(const HbmParams& params, const MemoryTraffic& traffic);

}  // namespace tahoma::model
