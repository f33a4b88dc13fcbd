// SPDX-License-Identifier: Apache-2.0
#include "model/engine/dma_timing.h"

namespace tahoma::model {

base::Duration packet_time(const PacketShape& packet, const DmaParams& params) {
  const base::Clock clock(params.clock);
  const std::uint64_t width = params.bytes_per_cycle.count;
  std::uint64_t cycles = (packet.run_bytes + width - 1) / width * (packet.accumulate ? 2 : 1);
  if (packet.starts_run) cycles += static_cast<std::uint64_t>(params.element_overhead.count);
  cycles *= packet.sources;
  base::Duration each = clock.length({static_cast<std::int64_t>(cycles)});
  if (packet.dram_to_dram && packet.starts_run && packet.run_bytes < params.small_element_bytes.count)
    each = std::max(each, params.small_element);
  if (packet.dram_to_dram && packet.run_bytes < params.small_element_bytes.count)
    return each * static_cast<std::int64_t>(packet.runs);
  const std::uint64_t percent = packet.throughput_percent;
  return clock.length({static_cast<std::int64_t>((cycles * packet.runs * 100 + percent - 1) / percent)});
}

}  // namespace tahoma::model
