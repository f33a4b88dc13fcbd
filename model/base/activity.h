// SPDX-License-Identifier: Apache-2.0
// What happened in a run, one record for each instruction, DMA transfer, packet and semaphore change: what a
// device profiler records. For figures of single instructions beside silicon, and for timelines. Times are
// simulated time; a record is made as soon as its times are known, so records do not come in the order of
// time.
//
// Observer hears of what most reports need; ProbeObserver of the far more frequent events that figures of
// single packets and semaphores need, TimelineObserver of what only a picture of every moment does.
//
// A change of a semaphore is known by its cause: the instruction that makes it, or that rang the doorbell of
// the transfer which makes it. Causes tell instructions of a machine apart, each time that they are executed.
#pragma once

#include <cstdint>
#include <span>

#include "model/base/measurements.h"
#include "model/base/units.h"

namespace tahoma::base {

struct InstructionActivity {
  std::uint32_t core = 0;   // global core number
  std::uint8_t queue = 0;   // isa::Queue
  std::uint32_t index = 0;  // in the queue's stream
  Time start{0};            // occupies the engine from here
  Time next{0};      // the sequencer may look at the instruction behind; before `start` when it runs ahead
  Time complete{0};  // the result is visible to others, before semaphore latency
  Duration busy{0};  // of the engine's issue
  std::uint64_t hardware_flops = 0;  // of the tensor engine
  std::uint64_t cause = 0;           // of the changes that it makes; 0: it makes none
  std::uint64_t released_by = 0;     // the cause of the change that ended its wait; 0: it did not wait
  // Of the engine, by StallReason: what its time has gone to so far, this instruction's own included. Grows to
  // EngineMeasurement::time.
  std::span<const Duration> engine_time{};
};

struct PacketActivity {
  std::uint32_t core = 0;
  std::uint8_t engine = 0, ring = 0;      // DMA engine of the core
  std::uint8_t queue = 0;                 // isa::Queue whose doorbell instruction began the transfer,
  std::uint32_t index = 0;                // and its place in that stream
  std::uint64_t bytes = 0, elements = 1;  // of the larger side; contiguous runs. 0 bytes: a semaphore alone
  Duration busy{0};                       // of the DMA engine
  // HBM sides, 0 bytes if none. Of several sources the first tells the address.
  std::uint64_t read_bytes = 0, read_address = 0, write_bytes = 0, write_address = 0;
  bool last = false;  // of this engine's share: its completion follows
  Time start{0};      // its first data are there
  Time read_done{0};
  Time write_done{0};  // acknowledged, its semaphore not included; on another chip: as read_done
};

struct SemaphoreActivity {
  std::uint32_t core = 0;
  std::uint8_t semaphore = 0;
  bool sets = false;  // `by` is the new value, not added to the old one
  std::int64_t by = 0;
  Time visible{0};
};

// An instruction whose values have just been applied to memory, so that whoever is told finds its result
// there: of an engine's instruction at its start and before its record, of a transfer at its first packet,
// when its doorbell's record is long made. Functional mode only, and in the order of the values, which
// extends what semaphores order. Where its destination lies follows from the instruction and the following.
struct ResultActivity {
  std::uint32_t core = 0;
  std::uint8_t queue = 0;
  std::uint32_t index = 0;                // in the queue's stream
  Time start{0};                          // when the values count as applied
  std::uint64_t address = 0;              // global, of a destination in HBM
  std::int64_t moved = 0;                 // bytes that a register adds to a destination on chip
  bool scatters = false;                  // the first dimension of the destination goes to these rows,
  std::span<const std::uint32_t> rows{};  // of which those out of bounds are left out
};

struct ResultObserver {
  virtual void result(const ResultActivity& activity) = 0;

 protected:
  ~ResultObserver() = default;
};

// What an engine's time went to (base::StallReason). Those of one engine come in order, each begins where the one
// before it ended, and they add up to what is measured of the engine. Those of an instruction come before
// it does; what is left at the end of the run belongs to none.
struct StretchActivity {
  std::uint32_t core = 0;
  std::uint8_t queue = 0;  // isa::Queue
  StallReason name = StallReason::kBusy;
  Time start{0}, end{0};
};

// A transfer from its doorbell to its last byte: all of its packets together, told when the last is over.
struct TransferActivity {
  std::uint32_t core = 0;
  std::uint8_t ring = 0;
  std::uint8_t queue = 0;   // isa::Queue whose doorbell instruction began it,
  std::uint32_t index = 0;  // and its place in that stream
  std::uint64_t cause = 0;
  std::uint64_t packets = 0, bytes = 0;  // of the larger side
  // HBM sides, 0 bytes if none. Of several sources the first tells the address.
  std::uint64_t read_bytes = 0, read_address = 0, write_bytes = 0, write_address = 0;
  Duration busy{0};     // of the DMA engines, added up
  Time rung{0};         // end of the doorbell instruction
  Time start = kNever;  // its first data are there
  Time read_done{0};
  Time end{0};  // written and acknowledged; to another chip: read
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

// Transfers that a ring holds: not yet issued to the last packet. In the order of time.
struct RingActivity {
  std::uint32_t core = 0;
  std::uint8_t ring = 0;
  std::uint64_t held = 0;
  Time when{0};
};

// A packet on the wire of one direction of a link. In the order of time for each link.
struct LinkActivity {
  const char* path = nullptr;                // the instance's name, one pointer for each direction
  std::uint32_t chip = 0;                    // that sends
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
