// SPDX-License-Identifier: Apache-2.0
// How long a packet occupies one DMA engine: ceil(bytes / 32) cycles per contiguous run plus its overhead
// (measured), the larger side pacing a cast, both reads pacing an accumulation, every source pacing a sum,
// the published share of the throughput that a transposition reaches, and the price of tiny DRAM-to-DRAM
// elements.
#pragma once

#include "model/engine/engine_params.h"

namespace tahoma::model {

struct PacketShape {
  std::uint64_t runs = 1;       // contiguous runs, or 1 when the packet is part of one
  std::uint64_t run_bytes = 0;  // of the larger side
  bool starts_run = true;       // the overhead is paid once per run
  bool dram_to_dram = false;
  bool accumulate = false;
  std::uint64_t sources = 1;               // each with its bytes and its overhead
  std::uint64_t throughput_percent = 100;  // below 100: of a transposition
  friend bool operator==(const PacketShape&, const PacketShape&) = default;
};

base::Duration packet_time(const PacketShape& packet, const DmaParams& params);

}  // namespace tahoma::model
