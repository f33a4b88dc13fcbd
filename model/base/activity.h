// SPDX-License-Identifier: Apache-2.0
// The events of a run, as a device profiler records them: one record for each instruction, DMA transfer,
// packet and semaphore change. Comparisons of single instructions with silicon and timelines read them. Times
// are simulated time. A record is made as soon as its times are known, so records are not ordered by time.
//
// Observer receives what most reports need. ProbeObserver adds the far more frequent packets and semaphore
// changes, and TimelineObserver adds every stretch of time.
//
// A semaphore change carries its cause: the instruction that makes it, or that rang the doorbell of the
// transfer that makes it. A cause is unique for each execution of an instruction in the machine.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "model/base/measurements.h"
#include "model/base/units.h"

namespace tahoma::base {

struct InstructionActivity {
  std::uint32_t core = 0;   // global core number
  std::uint8_t queue = 0;   // isa::Queue
  std::uint32_t index = 0;  // in the queue's stream
  Time start{0};            // the instruction occupies the engine from here
  Time next{0};             // the sequencer may read the next instruction; before `start` when it runs ahead
  Time complete{0};         // the result is visible to others, before semaphore latency
  Duration busy{0};         // of the engine's issue
  std::uint64_t hardware_flops = 0;  // of the tensor engine
  std::uint64_t cause = 0;           // of its semaphore changes; 0: none
  std::uint64_t released_by = 0;     // the cause of the change that ended its wait; 0: it did not wait
  // The engine's time so far by StallReason, including this instruction. It grows to EngineMeasurement::time.
  std::span<const Duration> engine_time{};
};

struct PacketActivity {
  std::uint32_t core = 0;
  std::uint8_t engine = 0, ring = 0;      // DMA engine of the core
  std::uint8_t queue = 0;                 // isa::Queue with the doorbell instruction of the transfer,
  std::uint32_t index = 0;                // and the index of that instruction
  std::uint64_t bytes = 0, elements = 1;  // of the larger side; contiguous runs. 0 bytes: only a semaphore
  Duration busy{0};                       // of the DMA engine
  // HBM sides; 0 bytes if there is none. A transfer that adds to its destination reads it, too. With several
  // sides to read, the bytes are those of all, and the address is that of the first.
  std::uint64_t read_bytes = 0, read_address = 0, write_bytes = 0, write_address = 0;
  bool last = false;  // the last packet of this engine's share
  Time issued{0};     // from here on its engine may issue it
  Time start{0};      // its first data arrive
  Time read_done{0};
  Time write_done{0};  // acknowledged, without its semaphore; on another chip: as read_done
  // Times after the engine had passed all its data: while the fabric took nothing from it, and while it
  // waited for data.
  Duration blocked{0}, starved{0};
  Duration held{0};  // from the read until the memory could take the write
};

struct SemaphoreActivity {
  std::uint32_t core = 0;
  std::uint8_t semaphore = 0;
  bool sets = false;  // `by` is the new value, not added to the old one
  std::int64_t by = 0;
  Time visible{0};
};

// An instruction whose values have just been applied to memory, so the observer can read its result there. An
// instruction of an engine is reported at its start, before its record. A transfer is reported at its first
// packet, long after the record of its doorbell. Functional mode only. The order is that in which values are
// applied, which extends the order that semaphores impose. The instruction and the following members give the
// location of the destination.
struct ResultActivity {
  std::uint32_t core = 0;
  std::uint8_t queue = 0;
  std::uint32_t index = 0;    // in the queue's stream
  Time start{0};              // when the values count as applied
  std::uint64_t address = 0;  // global, of a destination in HBM
  std::int64_t moved = 0;     // bytes that a register adds to a destination on chip
  bool scatters = false;      // the first dimension of the destination is scattered to these rows;
  std::span<const std::uint32_t> rows{};  // rows out of bounds are skipped
};

struct ResultObserver {
  virtual void result(const ResultActivity& activity) = 0;

 protected:
  ~ResultObserver() = default;
};

// A stretch of an engine's time with its base::StallReason. The stretches of one engine are consecutive and
// add up to its measured time. Those of an instruction come before its record; those at the end of the run
// belong to no instruction.
struct StretchActivity {
  std::uint32_t core = 0;
  std::uint8_t queue = 0;  // isa::Queue
  StallReason name = StallReason::kBusy;
  Time start{0}, end{0};
};

struct HbmRead {
  std::uint32_t operand = 0;  // the sources, then the destination
  std::uint64_t bytes = 0, address = 0;
};

// A transfer from its doorbell to its last byte: all of its packets together, reported when the last one is
// complete.
struct TransferActivity {
  std::uint32_t core = 0;
  std::uint8_t ring = 0;
  std::uint8_t queue = 0;   // isa::Queue with its doorbell instruction,
  std::uint32_t index = 0;  // and the index of that instruction
  std::uint64_t cause = 0;
  std::uint64_t packets = 0, bytes = 0;  // of the larger side
  // The sides are those of PacketActivity.
  std::uint64_t read_bytes = 0, read_address = 0, write_bytes = 0, write_address = 0;
  std::vector<HbmRead> more_reads{};  // of read_bytes, those of the second and further sides
  // Sums over the DMA engines; see PacketActivity.
  Duration busy{0}, blocked{0}, starved{0};
  Duration held{0};         // of the packet that ends last
  bool reads_far = false;   // a source is on another chip,
  bool writes_far = false;  // the destination is
  Time rung{0};             // end of the doorbell instruction
  Time issued = kNever;     // its first packet is
  Time start = kNever;      // its first data arrive
  Time read_done{0};
  Time end{0};  // written and acknowledged; to another chip: read

  // Calls visit(address, bytes) for each side that is read.
  template <class Visit>
  void for_each_read(Visit&& visit) const {
    std::uint64_t first = read_bytes;
    for (const HbmRead& more : more_reads) first -= more.bytes;
    if (first > 0) visit(read_address, first);
    for (const HbmRead& more : more_reads) visit(more.address, more.bytes);
  }
};

struct Observer {
  virtual void instruction(const InstructionActivity& activity) = 0;
  virtual void transfer(const TransferActivity& activity) = 0;

 protected:
  ~Observer() = default;
};

struct ProbeObserver {
  virtual void packet(const PacketActivity& activity) = 0;
  virtual void semaphore(const SemaphoreActivity& activity) = 0;

 protected:
  ~ProbeObserver() = default;
};

// The number of transfers that a ring holds, from the doorbell to the issue of the last packet. Ordered by
// time.
struct RingActivity {
  std::uint32_t core = 0;
  std::uint8_t ring = 0;
  std::uint64_t held = 0;
  Time when{0};
};

// This is a packet on the wire of one direction of a link. The packets of a link are ordered by time.
struct LinkActivity {
  const char* path = nullptr;                // the instance's name, one pointer for each direction
  std::uint32_t chip = 0;                    // the sender
  std::uint32_t from_chip = 0, to_chip = 0;  // of the data
  std::uint64_t payload_bytes = 0, wire_bytes = 0;
  Time start{0}, end{0};
};

struct TimelineObserver {
  virtual void stretch(const StretchActivity& activity) = 0;
  virtual void ring(const RingActivity& activity) = 0;
  virtual void link(const LinkActivity& activity) = 0;

 protected:
  ~TimelineObserver() = default;
};

}  // namespace tahoma::base
