// SPDX-License-Identifier: Apache-2.0
// What happened in a run, one record for each instruction, DMA packet and semaphore change: what a device
// profiler records. For figures of single instructions beside silicon, and for timelines. Times are simulated
// time; a record is made as soon as its times are known, so records do not come in the order of time.
//
// Left out: packets on their way through the fabric.
#pragma once

#include <cstdint>
#include <span>

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
  // Of the engine, by Cycle: what its time has gone to so far, this instruction's own included. Grows to
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

struct Observer {
  virtual void instruction(const InstructionActivity& activity) = 0;
  virtual void packet(const PacketActivity& activity) = 0;
  virtual void semaphore(const SemaphoreActivity& activity) = 0;

 protected:
  ~Observer() = default;
};

}  // namespace tahoma::base
