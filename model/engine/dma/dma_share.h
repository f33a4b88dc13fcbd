// SPDX-License-Identifier: Apache-2.0
// The share of a transfer that one DMA engine has, and how it is cut into packets.
//
// Transfers of collective cores are cut coarsely: one packet stands for several of the runtime's, which are
// its parts, takes their time and is arbitrated as one. Each part of theirs is an element of its own, for the
// runtime writes their descriptors by the packet.
#pragma once

#include <vector>

#include "model/engine/dma/dma_timing.h"
#include "model/engine/dma/dma_transfer.h"

namespace tahoma::model {

// What an engine moves at once: `runs` units of the transfer from `unit` on, or elements of a single one.
struct DmaPacket {
  std::uint64_t unit = 0, from_element = 0;
  std::uint32_t elements = 0, runs = 1;
  std::uint32_t starts = 0;  // elements of the DMA that begin in it
  std::uint32_t part = 0;    // elements of each part but the last, which may have fewer
  bool last = false;

  std::uint32_t parts() const { return elements == 0 ? 1 : (elements + part - 1) / part; }
};

// A part of a packet: the last, or any other.
DmaPacket part_of(const DmaPacket& packet, bool last);

struct Share {
  Transfer* transfer = nullptr;
  base::Time available{0};
  std::uint64_t unit = 0, last_unit = 0;  // next unit, end
  std::uint64_t done_elements = 0;        // of the current unit
  std::uint32_t done_rows = 0;            // of the current element of several rows
  std::uint32_t next = 0;                 // behind it in the same ring

  DmaPacket next_packet(const DmaParams& params) const;
  void advance(const DmaPacket& packet);

 private:
  void take_rows(DmaPacket& packet, std::uint64_t room, const DmaParams& params) const;
};

// Where the shares of the engines of a core lie, in lists.
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

// What the packet is to its engine.
PacketShape shape_of(const Transfer& transfer, const DmaPacket& packet, const DmaParams& params);

// The bytes of the packet in HBM: where it begins, and its rows from there. A packet without elements, which
// only carries a notice, begins where the side does.
std::uint64_t address_of(const Transfer& transfer, const isa::DmaSide& side, std::uint64_t base,
                         const DmaPacket& packet);
void describe_rows(sim::RowPattern& rows, const Transfer& transfer, const isa::DmaSide& side,
                   const DmaPacket& packet);

}  // namespace tahoma::model
