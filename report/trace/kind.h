// SPDX-License-Identifier: Apache-2.0
// The contents of a timeline, by the words of --trace-kinds. In the trace, a kind is the
// category of its events.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace tahoma::runtime {

enum class TraceKind : std::uint8_t { kEngines, kWaits, kDma, kQueues, kLinks, kBandwidth, kOccupancy };
inline constexpr std::size_t kTraceKinds = 7;

struct TraceKindRow {
  const char* name;
  const char* doc;
};
inline constexpr std::array<TraceKindRow, kTraceKinds> kTraceKindTable{{
    {"engines", "instructions that occupy an engine"},
    {"waits", "reasons why an engine stalled"},
    {"dma", "transfers of DMA rings"},
    {"queues", "number of transfers in a DMA ring"},
    {"links", "packets on each direction of a link"},
    {"bandwidth", "bandwidth of HBM stacks and links, per window"},
    {"occupancy", "live bytes of SBUF, PSUM and HBM, per window"},
}};
inline const char* name_of(TraceKind kind) { return kTraceKindTable[static_cast<std::size_t>(kind)].name; }

}  // namespace tahoma::runtime
