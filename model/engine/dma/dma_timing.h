// SPDX-License-Identifier: Apache-2.0
// The timing laws of the DMA: pure functions of a doorbell, a packet and a write. Times of silicon stand at
// the parameters (engine_params.cpp) and in workloads/micro/dma.csv.
//
// Read side, in cycles of the DMA clock: an element takes ceil(bytes / 32) and its overhead, a packet its
// own; the larger side paces a cast, both reads an accumulation, every source a sum; a transposition reaches
// the published share. Write side: an element is written a latency after it has been read, in order; a
// semaphore is written when the data before it is acknowledged, and what was held back behind it drains at
// full width.
#pragma once

#include "isa/core/instruction.h"
#include "model/base/units.h"
#include "model/engine/pipeline/engine_params.h"

namespace tahoma::model {

// How long a doorbell occupies its queue, and how long until the next one may start.
struct DoorbellTime {
  base::Duration instruction, pitch;
};
DoorbellTime doorbell_time(isa::Queue queue, bool first, const DmaParams& params);

// From the start of the first DMA engine to that of `engine`.
base::Duration skew_of(unsigned engine, const DmaParams& params);

// What one packet is to an engine: rows that are contiguous on each side, the elements that they make up, and
// the semaphore behind them.
struct PacketShape {
  std::uint32_t rows = 1;                 // or 1 when the packet is part of one; 0: a semaphore alone
  std::uint32_t row_bytes = 0;            // of the larger side
  std::uint32_t starts = 1;               // elements that begin in this packet
  std::uint8_t joined = 1;                // rows of an element
  std::uint8_t sources = 1;               // each with its bytes and its overhead
  std::uint8_t throughput_percent = 100;  // below 100: of a transposition
  bool dram_to_dram = false, accumulate = false;
  bool semaphore = false;       // written behind the last element
  bool read_semaphore = false;  // another, an element of its own
  friend bool operator==(const PacketShape&, const PacketShape&) = default;
};

base::Duration packet_time(const PacketShape& packet, const DmaParams& params);
// The same in cycles, from the engine's structure alone: tiny elements from HBM to HBM are measured to
// differ. What the ring in SystemVerilog must match (model/rtl).
base::Cycles packet_cycles(const PacketShape& packet, const DmaParams& params);

// Tiny elements from HBM to HBM go at different rates on the 16 engines, around their mean: what a packet of
// mean time `cost` takes on `engine`. A transfer ends with the slowest.
bool small_elements(const PacketShape& packet, const DmaParams& params);
base::Duration spread_over_engines(base::Duration cost, unsigned engine, const DmaParams& params);

// A write that follows others of its engine: acknowledged when? `held`: what the memory, or the way there,
// made it wait; `drain`: what it takes when it was held up behind a semaphore.
base::Duration drain_time(base::Bytes bytes, const DmaParams& params);
base::Time written_at(base::Time start, base::Duration held, base::Time written_before, base::Duration drain,
                      isa::Space dst, const DmaParams& params);
// The value of a semaphore behind data that is acknowledged at `written`, and what it keeps waiting.
base::Time semaphore_visible(base::Time written, const DmaParams& params);
base::Time semaphore_written(base::Time written, const DmaParams& params);

// From the end of the last read to the value of the semaphore, nothing in the way.
base::Duration completion(isa::Space dst, const DmaParams& params);

// GpSimd's time to write so many descriptors.
base::Duration generation_time(std::uint64_t elements, const DmaParams& params);

}  // namespace tahoma::model
