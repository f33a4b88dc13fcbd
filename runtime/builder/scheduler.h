// SPDX-License-Identifier: Apache-2.0
// From operations in program order to per-queue streams whose semaphores keep every dependency: read after
// write, write after read, write after write, on chip and in HBM.
//
// What it builds on: a queue issues in order and starts an instruction when its wait is satisfied; the
// instructions of one engine complete in order. A DMA is only started by its queue: it reads and writes until
// its completion, and transfers complete in any order, each DMA engine for itself.
//
// Semaphores: one counter per engine queue, raised only by instructions that somebody waits for; per queue
// that rings doorbells kDmaSlots counters, taken in turn, where a transfer starts only after its predecessor
// on the same counter has landed (otherwise a count could be reached by the wrong mixture of engines).
// Orderings that follow from others, tracked by vector clocks, cost nothing. An instruction carries one wait;
// further ones become sem_wait in front of it.
//
// Leaves out: loops and branches (streams are straight-line), and transfers that tell another core of their
// landing: their completion is unknown here, so a later write to what they touch is refused.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "isa/core/program.h"
#include "isa/table/table.h"

namespace tahoma::runtime {

// A rectangle of a buffer (a tensor in HBM, all of SBUF, or all of PSUM): rows (partitions, or rows of a
// matrix) by bytes. With a step only the first
// `width` bytes of every `step` count, so that interleaved columns are apart. Different buffers never
// overlap.
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
  // How far this one's columns begin behind those of another with the same step.
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
  // A write of another core's, which is there when the operation is complete: later ones wait for that, but
  // the operation for nobody.
  bool announced = false;
  friend bool operator==(const Access&, const Access&) = default;
};

// One instruction in program order with what it touches. Its own wait may be set (a signal from another
// core); its update is the scheduler's, except for a transfer that has one: it tells another core.
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

// Appends the streams to `program`. `first_signal` is the lowest semaphore taken by signals; those below are
// free. Throws UserError E-RUN-022 (a send's source or target is written later) and E-RUN-023 (semaphores
// exhausted).
void schedule(const Operations& ops, unsigned first_signal, isa::Program& program);

}  // namespace tahoma::runtime
