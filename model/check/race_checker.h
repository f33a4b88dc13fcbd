// SPDX-License-Identifier: Apache-2.0
// A program checker without a hardware counterpart. It observes every instruction when its queue starts
// it and reports
//   E-CHK-001  two accesses to one byte, at least one of them a write, that no semaphore orders
//   E-CHK-002  a read of bytes that nothing has written
//   E-CHK-003  a read of an accumulation group in PSUM that is still open
//   E-CHK-004  an accumulating matmul onto bytes that no matmul has written last
//   E-CHK-005  a semaphore whose meaning depends on timing (model/check/semaphore_order.h)
//
// Only the following rules establish an order:
//   - The instructions of one queue start in order, and those of one engine read, write and complete in
//     order.
//   - A transfer starts after its doorbell. Earlier computation of the same queue need not be complete by
//     then, unless a semaphore has shown it.
//   - Transfers that one queue rings on one ring have read in order, and within the chip they complete in
//     order; their reads and writes are otherwise unordered. A transfer to another chip completes
//     independently.
//   - An update on read proves only that the sources have been read and may be overwritten.
//   - core_barrier and sendrecv wait for everything that their queue issued before, and after a rendezvous
//     each queue knows what both knew.
//   - A wait proves what model/check/semaphore_order.h defines; a completion also carries everything that was
//     known at the start.
//
// It reasons with vector clocks, never with times, so it finds a race even in a run whose timing hides it.
// The findings depend on timing in one respect only: which branch a program takes. In functional mode,
// values decide one case: transfers of two cores that write the same values into the same bytes of HBM do
// not race (model/check/disputed_writes.h); they are counted apart. Feed it in the order in
// which the simulation kernel starts instructions; engines that run ahead of time make no difference.
//
// Not checked: the weights in the tensor engine's array and the registers, which are private to a queue; the
// host, which writes only before the run and reads only after it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "isa/core/program.h"
#include "isa/table/access.h"
#include "model/check/disputed_writes.h"
#include "model/check/findings.h"

namespace tahoma::model::check {

// One instruction at the moment its queue starts it.
struct Step {
  std::uint32_t core = 0;  // global number
  isa::Queue queue = isa::Queue::kSync;
  std::uint32_t index = 0;  // in the stream
  const isa::Instruction* instruction = nullptr;
  base::Time time{0};
  std::int64_t wait_value = 0;  // resolved value: kGeReg waits for a register
};

// A transfer that a doorbell starts, with resolved addresses.
struct Transfer {
  std::span<const isa::OperandAccess> accesses;
  std::uint32_t notified = 0;       // the core whose semaphore is updated
  std::uint32_t notified_read = 0;  // core of the update on read
  bool remote = false;              // to another chip
  bool accumulates = false;         // it adds to its destination
};

// A queue of a core.
struct Party {
  std::uint32_t core = 0;
  isa::Queue queue = isa::Queue::kSync;
};

struct Machine {
  std::uint32_t cores = 0;
  std::uint64_t stacks_per_chip = 0;
  std::function<std::string(std::uint32_t core)> name;  // "server0.chip00.core0"
  bool has_values = false;                              // functional mode
  bool adds_to_fills = false;  // a matmul may add to what another instruction has written (NeuronCore-v4)
};

class RaceChecker {
 public:
  RaceChecker(Options options, Machine machine);
  ~RaceChecker();

  // Call before the run. Registers the streams of a core (the program must outlive the run) and the HBM bytes
  // that the host has written.
  void load(std::uint32_t core, const isa::Program& program);
  void host_wrote(std::uint64_t address, std::uint64_t bytes);

  // Call in the order in which the kernel starts instructions. The first two derive the accesses from the
  // instruction; the third takes them directly.
  void start(const Step& step);
  // Returns the transfer's number, by which moved() identifies it; 0 if it needs no call of moved().
  std::uint64_t ring(const Step& step, const Transfer& transfer);
  void start(const Step& step, std::span<const isa::OperandAccess> accesses);

  // A rendezvous of two queues: each arrives, both meet, and each departs and has then executed
  // its instruction. From then on each knows what both knew, and that everything both had issued
  // before is complete.
  void arrive(const Step& step);
  void rendezvous(const Party& a, const Party& b);
  void depart(const Step& step);

  // The bytes of HBM whose change this transfer must report when it moves its values, and the report: an
  // entry for each range.
  std::vector<ByteRange> disputed(std::uint64_t transfer) const;
  void moved(std::uint64_t transfer, const std::vector<bool>& changed);

  const Findings& findings() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
  std::vector<isa::OperandAccess> operands_;  // of the current instruction
};

}  // namespace tahoma::model::check
