// SPDX-License-Identifier: Apache-2.0
// The times at which the sequencer of one engine runs its own instructions and reaches the following
// instruction: the timing laws, applied to the stream.
#pragma once

#include "model/engine/sequencer/sequencer.h"
#include "model/engine/sequencer/sequencer_laws.h"

namespace tahoma::model {

// An instruction that the sequencer runs itself.
struct SequencerStep {
  base::Time start, end;
  base::Time complete;  // of a store: later than its end, because the queue does not wait for it
};

class SequencerSchedule {
 public:
  // `sequencer` and `params` must outlive the schedule.
  SequencerSchedule(base::EngineKind kind, const CoreParams& params, const Sequencer& sequencer);

  const SequencerLaws& laws() const { return laws_; }

  // The sequencer holds `i` since `ready` and may run it at `t`.
  SequencerStep step(const isa::Instruction& i, base::Time ready, base::Time t) const;
  // The time at which the sequencer reaches the instruction after the current one, `i`, which it runs itself
  // from `start` to `end`; `end` if there is no next instruction.
  base::Time behind(const isa::Instruction& i, base::Time start, base::Time end) const;
  // The same after an instruction that it hands over at `dispatched` and that the engine starts at `start`;
  // at once if there is no next instruction.
  base::Time behind_dispatch(base::Time dispatched, base::Time start);

 private:
  const SequencerParams& params_;
  const Sequencer& sequencer_;
  SequencerLaws laws_;
  EngineQueue queue_;
};

}  // namespace tahoma::model
