// SPDX-License-Identifier: Apache-2.0
// The interface between the sequencers and the DMA engines of a core: the request that a doorbell carries.
#pragma once

#include <cstdint>
#include <span>
#include <systemc>
#include <vector>

#include "isa/semantics/semantics.h"
#include "model/base/units.h"
#include "model/sim/packet.h"

namespace tahoma::model {

// Receives the end of a transfer that raises no semaphore.
struct TransferEnd {
  virtual void ended(base::Time visible) = 0;  // at which its last semaphore would be visible

 protected:
  ~TransferEnd() = default;
};

// A transfer with resolved addresses.
struct TransferRequest {
  std::span<const isa::Descriptor> sources;  // one per source, all with the same destination and counts
  std::uint64_t dst = 0, src = 0;            // global byte addresses of the HBM sides
  std::vector<std::uint64_t> more_src;       // of the second and later sources
  unsigned ring = 0;
  unsigned service = 0;                  // class of service
  isa::Queue queue = isa::Queue::kSync;  // queue that issued it,
  std::uint32_t index = 0;               // with this instruction
  isa::Dge dge = isa::Dge::kNone;
  isa::AluOp fold = isa::AluOp::kAdd;      // of several sources
  std::optional<sim::Notify> notify;       // once per DMA engine
  bool on_read = false;                    // `notify` is sent after the engine's read instead of its write
  std::optional<sim::Notify> notify_read;  // a second one, always sent after the engine's read
  bool transposes = false;
  isa::Indirection indirect = isa::Indirection::kNone;
  std::vector<isa::IndirectRow> rows;  // rows that an indirect transfer moves
  base::Time rung{0};                  // end of the doorbell instruction
  std::uint64_t cause = 0;             // cause of the changes that it makes, model/base/activity.h
  std::uint64_t check_number = 0;      // of the race checker; 0: none
  TransferEnd* end = nullptr;          // of a swap between two cores, which moves the values itself

  const isa::Descriptor& descriptor() const { return sources.front(); }
  std::uint64_t source(std::size_t s) const { return s == 0 ? src : more_src[s - 1]; }
  // Operands are numbered: the sources, then the destination.
  std::size_t destination() const { return sources.size(); }
  const isa::DmaSide& side(std::size_t operand) const {
    return operand < sources.size() ? sources[operand].src : descriptor().dst;
  }
  std::uint64_t address(std::size_t operand) const {
    return operand < sources.size() ? source(operand) : dst;
  }
  // The operands that are read from HBM: sources, and a destination that the transfer adds to.
  template <class Visit>
  void for_each_hbm_read(Visit&& visit) const {
    for (std::size_t operand = 0; operand < destination() + (descriptor().accumulate ? 1 : 0); ++operand)
      if (side(operand).space == isa::Space::kHbm) visit(operand);
  }
};

// Receives a notification when a ring has space again.
struct RoomWatcher {
  virtual void room() = 0;

 protected:
  ~RoomWatcher() = default;
};

struct DoorbellIf : virtual sc_core::sc_interface {
  virtual bool has_room(unsigned ring) const = 0;
  // Requires has_room. Throws ProgramError E-RUN-042 for an address outside HBM.
  virtual void ring(const TransferRequest& request) = 0;
  virtual void call_when_room(unsigned ring, RoomWatcher* who) = 0;
};

}  // namespace tahoma::model
