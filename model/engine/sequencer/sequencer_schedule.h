// SPDX-License-Identifier: Apache-2.0
// When the sequencer of one engine runs its own instructions and when it comes to the following instruction:
// the laws, applied to the stream.
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
  // When the sequencer comes to the instruction behind the current one, `i`, which it runs itself from `start`
  // to `end`; at `end` when nothing is behind.
  base::Time behind(const isa::Instruction& i, base::Time start, base::Time end) const;
  // The same behind an instruction that it hands over at `dispatched` and that the engine starts at `start`;
  // at once when nothing is behind.
  base::Time behind_dispatch(base::Time dispatched, base::Time start);

 private:
  const SequencerParams& params_;
  const Sequencer& sequencer_;
  SequencerLaws laws_;
  EngineQueue queue_;
};

}  // namespace tahoma::model
