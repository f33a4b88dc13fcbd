// SPDX-License-Identifier: Apache-2.0
// Converts operations in program order to per-queue streams whose semaphores preserve every dependency: read
// after write, write after read and write after write, on chip and in HBM.
//
// Assumptions: a queue issues in order and starts an instruction when its wait is satisfied; the instructions
// of one engine complete in order. A queue only starts a DMA: the transfer reads and writes until its
// completion, and transfers complete in any order, independently on each DMA engine.
//
// Semaphores: one counter per engine queue, raised only by instructions that another one waits for; and
// kDmaSlots counters per queue that rings doorbells, used in rotation. A transfer starts only after its
// predecessor on the same counter has landed (otherwise a wrong mixture of engines could reach the count).
// Vector clocks find orderings that follow from others; these cost nothing. An instruction carries one wait;
// additional ones become sem_wait instructions before it.
//
// Not supported: loops and branches (streams are straight-line). The completion of a transfer that notifies
// another core is unknown here, so a later write to memory that it accesses is refused.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "isa/core/program.h"
#include "isa/table/table.h"

namespace tahoma::runtime {

// A rectangle of a buffer (a tensor in HBM, all of SBUF, or all of PSUM): rows (partitions, or rows of a
// matrix) by bytes. With a step, only the first `width` bytes of every `step` count, so that interleaved
// columns do not overlap. Different buffers never overlap.
struct Region {
  std::uint32_t buffer = 0;
  std::uint32_t row = 0, rows = 0;
  std::uint64_t byte = 0, bytes = 0;
  std::uint64_t step = 0, width = 0;
  friend bool operator==(const Region&, const Region&) = default;
  bool overlaps(const Region& other) const {
    return buffer == other.buffer && row < other.row + other.rows && other.row < row + rows &&
           byte < other.byte + other.bytes && other.byte < byte + bytes && !interleaves(other);
  }
  bool contains(const Region& other) const {
    return buffer == other.buffer && row <= other.row && other.row + other.rows <= row + rows &&
           byte <= other.byte && other.byte + other.bytes <= byte + bytes &&
           (step == 0 || (step == other.step && other.ahead_of(*this) + other.width <= width));
  }

 private:
  // Offset of this region's columns from those of another region with the same step.
  std::uint64_t ahead_of(const Region& other) const {
    return (byte % step + step - other.byte % step) % step;
  }
  bool interleaves(const Region& other) const {
    return step != 0 && step == other.step && other.ahead_of(*this) >= width &&
           ahead_of(other) >= other.width;
  }
};

struct Access {
  Region region;
  bool write = false;
  // A write by another core. It is there when the operation is complete: later operations wait for it, but
  // the operation itself waits for nothing.
  bool announced = false;
  friend bool operator==(const Access&, const Access&) = default;
};

// One instruction in program order, with its accesses. Its own wait may be set (a signal from another core).
// The scheduler sets its update, except for a transfer that notifies another core, which has one already.
struct Op {
  isa::Queue queue = isa::Queue::kSync;
  isa::Instruction instruction;
  std::vector<Access> accesses;
  friend bool operator==(const Op&, const Op&) = default;

  void touch(const Region& region, bool write) { accesses.push_back({region, write, false}); }
  void announce(const Region& region) { accesses.push_back({region, true, true}); }
  bool is_dma() const { return isa::row_of(instruction.op).cost == isa::CostClass::kDoorbell; }
  bool notifies() const { return is_dma() && instruction.update.kind != isa::Update::Kind::kNone; }
  bool is_engine() const { return !is_dma(); }
};

class Operations;  // runtime/builder/operations.h

inline constexpr std::uint32_t kDmaSlots =
    16;  // transfers of one queue in flight: 4 MiB of 256 KiB loads hide 2 us of latency

// The streams have raised these semaphores. Another part of the same program must wait for them and clear
// them before it uses them again.
struct ScheduleEnd {
  struct Slot {
    isa::Queue queue;  // that rings the doorbells
    std::uint8_t semaphore;
    std::uint32_t value;  // when the last transfer has landed
  };
  std::vector<Slot> slots;
  std::vector<std::uint8_t> raised;  // all semaphores, those of slots included
};

// Appends the streams to `program`. `first_signal` is the lowest semaphore used by signals; those below are
// free. Throws UserError E-RUN-022 (a source or destination of a send is written later) and E-RUN-023
// (semaphores exhausted).
ScheduleEnd schedule(const Operations& ops, unsigned first_signal, isa::Program& program);

}  // namespace tahoma::runtime
