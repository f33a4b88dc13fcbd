// SPDX-License-Identifier: Apache-2.0
// When an engine's sequencer does what, as pure laws of times and parameters. A sequencer works in the order
// of its stream: it runs waits, updates, registers, branches and doorbells itself and hands all else to its
// engine's queue. An instruction whose semaphore has not come holds up everything behind it.
//
// Times lie on edges of the sequencer's clock, new values on edges of the base clock.
#pragma once

#include <deque>

#include "isa/core/instruction.h"
#include "model/base/measurements.h"
#include "model/engine/pipeline/engine_params.h"

namespace tahoma::model {

// Who runs an instruction.
enum class Executor : std::uint8_t { kSequencer, kEngine };
Executor executor_of(const isa::Instruction& i);

class SequencerLaws {
 public:
  SequencerLaws(base::EngineKind kind, const CoreParams& params);

  // The new value of the semaphore that an instruction updates which ends at `end`.
  base::Time new_value(base::Time end, Executor by) const;
  // The start of an instruction that waited for a value; it may have come long before, see `start`.
  base::Time woken(base::Time value, Executor by) const;
  // The first edge of the sequencer's clock.
  base::Time start(base::Time ready) const { return own_.edge(own_.at_or_after(ready)); }

  base::Time end_of_wait(base::Time start) const { return after(start, timing_.wait); }
  // A stand-alone update was ready to run at `ready` and starts when what it waits for, if anything, has
  // come: all but the comparison may be over by then.
  base::Time end_of_update(base::Time ready, base::Time start) const;

  // The start of what comes behind: a stand-alone wait or update; a register operation or a branch.
  base::Time behind_semaphore(base::Time end, Executor next) const;
  base::Time behind_step(base::Time start) const { return after(start, timing_.step); }
  base::Time behind_jump(base::Time start) const { return after(start, timing_.jump); }
  // An instruction handed to the engine at `dispatched`, which has room for the next at `room`.
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

// The instructions that an engine has been handed and not started.
class EngineQueue {
 public:
  explicit EngineQueue(std::uint64_t depth) : depth_(depth) {}
  // One more, which will start at `start` (never before those before it): since when there is room for the
  // next.
  base::Time hand_over(base::Time start);

 private:
  std::uint64_t depth_;
  std::deque<base::Time> starts_;  // of the last `depth_`
};

}  // namespace tahoma::model
