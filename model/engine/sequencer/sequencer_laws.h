// SPDX-License-Identifier: Apache-2.0
// The timing laws of an engine's sequencer, as pure functions of times and parameters. A sequencer works in
// stream order: it executes waits, updates, register operations, branches and doorbells itself and dispatches
// everything else to its engine's queue. An instruction whose semaphore has not reached its value blocks all
// later instructions.
//
// Times fall on edges of the sequencer's clock, new semaphore values on edges of the base clock.
#pragma once

#include <deque>

#include "isa/core/instruction.h"
#include "model/base/measurements.h"
#include "model/engine/params/engine_params.h"

namespace tahoma::model {

// The unit that executes an instruction.
enum class Executor : std::uint8_t { kSequencer, kEngine };
Executor executor_of(const isa::Instruction& i);

class SequencerLaws {
 public:
  SequencerLaws(base::EngineKind kind, const CoreParams& params);

  // Returns when the semaphore's new value appears after the updating instruction ends at `end`.
  base::Time new_value(base::Time end, Executor by) const;
  // Returns the start of an instruction that waited for a value. The value may be long past, see `start`.
  base::Time woken(base::Time value, Executor by) const;
  // Returns the first edge of the sequencer's clock at or after `ready`.
  base::Time start(base::Time ready) const { return own_.edge(own_.at_or_after(ready)); }

  base::Time end_of_wait(base::Time start) const { return after(start, timing_.wait); }
  // Returns the end of a stand-alone update that was ready at `ready` and starts when its awaited value, if
  // any, has arrived. Everything except the comparison may already be complete by then.
  base::Time end_of_update(base::Time ready, base::Time start) const;

  // Return the start of the next instruction after a stand-alone wait or update, after a register operation
  // or a branch that is not taken, and after a taken branch.
  base::Time behind_semaphore(base::Time end, Executor next) const;
  base::Time behind_step(base::Time start) const { return after(start, timing_.step); }
  base::Time behind_jump(base::Time start) const { return after(start, timing_.jump); }
  // Returns the start of the next instruction after one that was dispatched to the engine at `dispatched`;
  // the engine has space for the next at `room`.
  base::Time behind_dispatch(base::Time dispatched, base::Time room, Executor next) const;

 private:
  base::Time after(base::Time t, base::Cycles cycles) const {
    return own_.edge(own_.at_or_after(t) + cycles);
  }

  base::Clock base_, own_;
  SequencerTiming timing_;
  QueueTiming queue_;
  base::Cycles dispatch_, result_, compare_;
};

// The instructions that were dispatched to an engine and have not started.
class EngineQueue {
 public:
  explicit EngineQueue(std::uint64_t depth) : depth_(depth) {}
  // Adds an instruction that will start at `start` (never before its predecessors) and returns when there is
  // space for the next one.
  base::Time hand_over(base::Time start);

 private:
  std::uint64_t depth_;
  std::deque<base::Time> starts_;  // start times of the last `depth_` instructions
};

}  // namespace tahoma::model
