// SPDX-License-Identifier: Apache-2.0
// Between the sequencers and the DMA engines of a core: what a doorbell hands over, and what one engine gets
// of it.
#pragma once

#include <cstdint>
#include <span>
#include <systemc>
#include <vector>

#include "isa/semantics/semantics.h"
#include "model/base/units.h"
#include "model/sim/packet.h"

namespace tahoma::model {

// A transfer whose addresses are resolved.
struct TransferRequest {
  std::span<const isa::Descriptor> sources;  // one for each source, all with the same destination and counts
  std::uint64_t dst = 0, src = 0;            // global byte addresses of the HBM sides
  std::vector<std::uint64_t> more_src;       // of the second source on
  unsigned ring = 0;
  isa::Queue queue = isa::Queue::kSync;  // that rang it,
  std::uint32_t index = 0;               // by this instruction
  isa::Dge dge = isa::Dge::kNone;
  isa::AluOp fold = isa::AluOp::kAdd;      // of several sources
  std::optional<sim::Notify> notify;       // once per DMA engine
  bool on_read = false;                    // it is notified when the engine has read, not when it has written
  std::optional<sim::Notify> notify_read;  // another, always when the engine has read
  bool transposes = false;
  isa::Indirection indirect = isa::Indirection::kNone;
  std::vector<isa::IndirectRow> rows;  // of an indirect transfer: those that are moved
  base::Time rung{0};                  // end of the doorbell instruction
  std::uint64_t cause = 0;             // of the changes that it makes, model/base/activity.h

  const isa::Descriptor& descriptor() const { return sources.front(); }
  std::uint64_t source(std::size_t s) const { return s == 0 ? src : more_src[s - 1]; }
  // Operands by number: the sources, then the destination.
  std::size_t destination() const { return sources.size(); }
  const isa::DmaSide& side(std::size_t operand) const {
    return operand < sources.size() ? sources[operand].src : descriptor().dst;
  }
  std::uint64_t address(std::size_t operand) const {
    return operand < sources.size() ? source(operand) : dst;
  }
};

// Wants to know that a ring has room again.
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
