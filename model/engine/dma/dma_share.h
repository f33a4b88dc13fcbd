// SPDX-License-Identifier: Apache-2.0
// One DMA engine's share of a transfer, and its division into packets.
//
// Transfers of collective cores are divided coarsely: one packet represents several of the runtime's packets
// (its parts), takes their time and is arbitrated as one. Each part is a separate element, because the
// runtime writes one descriptor per packet.
#pragma once

#include <vector>

#include "model/engine/dma/dma_timing.h"
#include "model/engine/dma/dma_transfer.h"

namespace tahoma::model {

// The work of one packet: `runs` units of the transfer from `unit` on, or elements of a single unit.
struct DmaPacket {
  std::uint64_t unit = 0, from_element = 0;
  std::uint32_t elements = 0, runs = 1;
  std::uint32_t starts = 0;  // elements of the DMA that begin in the packet
  std::uint32_t part = 0;    // elements of each part; the last may have fewer
  bool last = false;

  std::uint32_t parts() const { return elements == 0 ? 1 : (elements + part - 1) / part; }
};

// Returns one part of a packet: the last, or any other.
DmaPacket part_of(const DmaPacket& packet, bool last);

struct Share {
  Transfer* transfer = nullptr;
  base::Time available{0};
  std::uint64_t unit = 0, last_unit = 0;  // next unit, end
  std::uint64_t done_elements = 0;        // of the current unit
  std::uint32_t done_rows = 0;            // of the current element of several rows
  std::uint32_t next = 0;                 // next share in the same ring

  DmaPacket next_packet(const DmaParams& params) const;
  void advance(const DmaPacket& packet);

 private:
  void take_rows(DmaPacket& packet, std::uint64_t room, const DmaParams& params) const;
};

// Storage for the shares of a core's engines, as linked lists.
class SharePool {
 public:
  static constexpr std::uint32_t kNone = ~0U;
  Share& operator[](std::uint32_t index) { return shares_[index]; }
  std::uint32_t take(const Share& share) {
    std::uint32_t index = free_;
    if (index == kNone) {
      index = static_cast<std::uint32_t>(shares_.size());
      shares_.push_back(share);
    } else {
      free_ = shares_[index].next;
      shares_[index] = share;
    }
    shares_[index].next = kNone;
    return index;
  }
  void give(std::uint32_t index) {
    shares_[index].next = free_;
    free_ = index;
  }

 private:
  std::vector<Share> shares_;
  std::uint32_t free_ = kNone;
};

// Returns the elements of one part of a packet.
std::uint64_t packet_room(const Transfer& transfer, const DmaParams& params);

// Returns the packet's shape as its engine processes it.
PacketShape shape_of(const Transfer& transfer, const DmaPacket& packet, const DmaParams& params);

// Return the packet's bytes in HBM: its start, and its rows relative to it. A packet without elements, which
// only carries a notification, starts where the side does.
std::uint64_t address_of(const Transfer& transfer, const isa::DmaSide& side, std::uint64_t base,
                         const DmaPacket& packet);
void describe_rows(sim::RowPattern& rows, const Transfer& transfer, const isa::DmaSide& side,
                   const DmaPacket& packet);

}  // namespace tahoma::model
