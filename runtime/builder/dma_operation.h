// SPDX-License-Identifier: Apache-2.0
// Transfers as operations of a kernel: descriptors, and the operations that refer to them.
#pragma once

#include <array>

#include "runtime/builder/kernel_record.h"

namespace tahoma::runtime {

// Returns the dimensions of a transfer between this tile and HBM.
inline std::array<std::uint32_t, isa::kFreeDims> transfer_counts(const isa::Shape& shape) {
  return {shape.partitions, shape.count[1], shape.count[2], shape.count[3]};
}
std::array<std::uint32_t, isa::kFreeDims> counts_of(const HbmView& view);

isa::DmaSide side_of(const TileView& view);
isa::DmaSide side_of(const HbmView& view, const isa::Shape* free_shape);

// The ring of a queue's local transfers: each queue has one of its own, so that stores do not wait behind
// loads.
inline std::uint8_t ring_of(isa::Queue queue, std::uint64_t rings) {
  return static_cast<std::uint8_t>(static_cast<std::uint64_t>(queue) % rings);
}
// The ring of its sends to other cores: local transfers would otherwise queue behind transfers that wait for
// a link.
inline std::uint8_t send_ring_of(isa::Queue queue, std::uint64_t rings) {
  return static_cast<std::uint8_t>((static_cast<std::uint64_t>(queue) + isa::kQueueCount) % rings);
}

Op& append_dma(KernelRecord& record, isa::Queue on, const isa::Descriptor& descriptor);
// Does not add dst's region.
Op& append_move(KernelRecord& record, const HbmView& dst, const Folded& what, isa::Queue on);

}  // namespace tahoma::runtime
