// SPDX-License-Identifier: Apache-2.0
// What a timeline shows, by the words of --trace-kinds. In the trace a kind is the category of its events.
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
    {"waits", "why an engine did not work"},
    {"dma", "transfers of DMA rings"},
    {"queues", "transfers that a DMA ring holds"},
    {"links", "packets on each direction of a link"},
    {"bandwidth", "of HBM stacks and links, window by window"},
    {"occupancy", "live bytes of SBUF, PSUM and HBM, window by window"},
}};
inline const char* name_of(TraceKind kind) { return kTraceKindTable[static_cast<std::size_t>(kind)].name; }

}  // namespace tahoma::runtime
