// SPDX-License-Identifier: Apache-2.0
// The timing laws of the DMA: pure functions of a doorbell, a packet and a write. The parameters
// (engine_params.cpp) and workloads/micro/dma.csv give the silicon's times.
//
// Read side, in cycles of the DMA clock: an element takes ceil(bytes / 32) plus its overhead, and a packet
// adds its own overhead. The larger side determines the rate of a cast, both reads that of an accumulation
// and all sources that of a sum; a transposition reaches the published share of the rate. Write side: an
// element is written one latency after it has been read, in order. A semaphore is written when the data
// before it are acknowledged, and writes held back behind it drain at full width.
#pragma once

#include "isa/core/instruction.h"
#include "model/base/units.h"
#include "model/engine/params/engine_params.h"

namespace tahoma::model {

// Time for which a doorbell occupies its queue, and time until the next one may start.
struct DoorbellTime {
  base::Duration instruction, pitch;
};
DoorbellTime doorbell_time(isa::Queue queue, bool first, const DmaParams& params);

// Delay from the start of the first DMA engine to that of `engine`.
base::Duration skew_of(unsigned engine, const DmaParams& params);

// A packet as its engine processes it: rows that are contiguous on each side, the elements that they form,
// and the semaphore after them.
struct PacketShape {
  std::uint32_t rows = 1;                 // or 1 when the packet is part of a row; 0: a semaphore alone
  std::uint32_t row_bytes = 0;            // of the larger side
  std::uint32_t starts = 1;               // elements that begin in this packet
  std::uint8_t joined = 1;                // rows of an element
  std::uint8_t sources = 1;               // each source adds its bytes and its overhead
  std::uint8_t throughput_percent = 100;  // below 100 for a transposition
  bool dram_to_dram = false, accumulate = false;
  bool semaphore = false;       // written behind the last element
  bool read_semaphore = false;  // a second one, as a separate element
  friend bool operator==(const PacketShape&, const PacketShape&) = default;
};

base::Duration packet_time(const PacketShape& packet, const DmaParams& params);
// This cost in cycles follows from the engine's structure alone: measurements of tiny elements from HBM to
// HBM differ. The SystemVerilog ring must match it (model/rtl).
base::Cycles packet_cycles(const PacketShape& packet, const DmaParams& params);

// The 16 engines move tiny elements from HBM to HBM at different rates around their mean. Returns the time on
// `engine` of a packet with mean time `cost`. A transfer ends with the slowest engine.
bool small_elements(const PacketShape& packet, const DmaParams& params);
base::Duration spread_over_engines(base::Duration cost, unsigned engine, const DmaParams& params);

// Acknowledgement time of a write that follows others of its engine. `held`: its wait at the memory or on the
// path there; `drain`: its duration when a semaphore held it up.
base::Duration drain_time(base::Bytes bytes, const DmaParams& params);
base::Time written_at(base::Time start, base::Duration held, base::Time written_before, base::Duration drain,
                      isa::Space dst, const DmaParams& params);
// Time at which a semaphore becomes visible when the data before it are acknowledged at `written`, and the
// time for which it blocks later writes.
base::Time semaphore_visible(base::Time written, const DmaParams& params);
base::Time semaphore_written(base::Time written, const DmaParams& params);

// Time from the end of the last read to the visible semaphore, without contention.
base::Duration completion(isa::Space dst, const DmaParams& params);

// Time that GpSimd needs to write this many descriptors.
base::Duration generation_time(std::uint64_t elements, const DmaParams& params);

}  // namespace tahoma::model
