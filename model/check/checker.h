// SPDX-License-Identifier: Apache-2.0
// A checker that no real chip has: sees every instruction as its queue starts it and reports
//   E-CHK-001  two accesses to one byte, at least one of them a write, that no semaphore orders
//   E-CHK-002  a read of bytes that nothing has written
//   E-CHK-003  a read of an accumulation group in PSUM that is still open
//   E-CHK-004  an accumulating matmul onto bytes that no matmul has written last
//   E-CHK-005  a semaphore whose meaning depends on timing (model/check/semaphore_order.h)
//
// What orders, and nothing else does:
//   - The instructions of one queue start in order, and those of one engine read, write and complete in
//   order.
//   - A transfer starts when its doorbell has rung. Its queue's own earlier computation need not be complete
//     by then, unless a semaphore has said so.
//   - Transfers that one queue rings on one ring have read in order, and within the chip they complete in
//     order; they read and write in no order. A transfer to another chip completes for itself.
//   - What an update on read proves is only that sources have been read: they may be overwritten.
//   - core_barrier and sendrecv wait for everything that their queue issued before, and two queues that met
//   know what both knew.
//   - A wait proves what model/check/semaphore_order.h says; with a completion comes everything that was
//   known
//     at the start.
//
// It reasons with vector clocks, never with times: a race is found in a run that happens to get by. What is
// found can depend on timing in one respect only: which branch a program takes. Feed it in the order in which
// the kernel starts instructions; engines that run ahead of time make no difference.
//
// Leaves out: the weights in the tensor engine's array and the registers, which are private to a queue; the
// host, which is done before the run begins and looks only after its end.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "isa/core/access.h"
#include "isa/core/program.h"
#include "model/check/findings.h"

namespace tahoma::model::check {

// One instruction whose queue starts it now.
struct Step {
  std::uint32_t core = 0;  // global number
  isa::Queue queue = isa::Queue::kSync;
  std::uint32_t index = 0;  // in the stream
  const isa::Instruction* instruction = nullptr;
  base::Time time{0};
  std::int64_t wait_value = 0;  // resolved: kGeReg waits for a register
};

// What a doorbell rings, with its addresses resolved.
struct Transfer {
  std::span<const isa::OperandAccess> accesses;
  std::uint32_t notified = 0;       // the core whose semaphore is updated
  std::uint32_t notified_read = 0;  // and that of the update on read beside it
  bool remote = false;              // to another chip
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
};

class Checker {
 public:
  Checker(Options options, Machine machine);
  ~Checker();

  // Before the run: the streams of a core; the program must outlive the run. And bytes of HBM that the host
  // has written.
  void load(std::uint32_t core, const isa::Program& program);
  void host_wrote(std::uint64_t address, std::uint64_t bytes);

  // In the order in which the kernel starts them. The first two take the accesses from the instruction; the
  // third is what they come down to.
  void start(const Step& step);
  void ring(const Step& step, const Transfer& transfer);
  void start(const Step& step, std::span<const isa::OperandAccess> accesses);

  // A meeting of two queues: each arrives, both meet, each departs and has then done what the instruction
  // says. Each knows from then on what both knew, and that what both had issued before is complete.
  void arrive(const Step& step);
  void meet(const Party& a, const Party& b);
  void depart(const Step& step);

  const Findings& findings() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
  std::vector<isa::OperandAccess> operands_;  // of the instruction in hand
};

}  // namespace tahoma::model::check
