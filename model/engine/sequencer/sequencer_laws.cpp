// SPDX-License-Identifier: Apache-2.0
#include "model/engine/sequencer/sequencer_laws.h"

#include <algorithm>

#include "isa/table/table.h"
#include "model/engine/sequencer/engine_kind.h"

namespace tahoma::model {

using base::Cycles, base::Time;
using isa::CostClass;

Executor executor_of(const isa::Instruction& i) {
  switch (isa::row_of(i.op).cost) {
    case CostClass::kNone:
    case CostClass::kSemaphore:
    case CostClass::kRegister:
    case CostClass::kRegisterMemory:
    case CostClass::kBranch:
    case CostClass::kDoorbell:
    case CostClass::kRendezvous:
      return Executor::kSequencer;
    default:
      return Executor::kEngine;
  }
}

SequencerLaws::SequencerLaws(base::EngineKind kind, const CoreParams& p)
    : base_(p.sequencer.clock),
      own_(sequencer_clock(kind, p)),
      timing_(p.sequencer.*kind_row(kind).sequencer),
      queue_(kind_row(kind).queue == nullptr ? QueueTiming{} : p.sequencer.*kind_row(kind).queue),
      dispatch_(p.sequencer.dispatch),
      result_(p.sequencer.result),
      compare_(p.sequencer.compare) {}

Time SequencerLaws::new_value(Time end, Executor by) const {
  const Cycles cycles = by == Executor::kEngine ? timing_.raise + result_ : timing_.raise;
  return base_.edge(base_.at_or_after(end + own_.length(cycles)));
}

Time SequencerLaws::woken(Time value, Executor by) const {
  return start(value + own_.length(by == Executor::kEngine ? queue_.wake : timing_.wake));
}

Time SequencerLaws::end_of_update(Time ready, Time start) const {
  return std::max(after(ready, timing_.update), after(start, compare_));
}

Time SequencerLaws::behind_semaphore(Time end, Executor next) const {
  return after(end, next == Executor::kEngine ? queue_.to_engine : timing_.gap);
}

Time SequencerLaws::behind_dispatch(Time dispatched, Time room, Executor next) const {
  if (next == Executor::kSequencer) return after(dispatched, queue_.from_engine);
  return std::max(after(dispatched, dispatch_), start(room));
}

Time EngineQueue::hand_over(Time start) {
  starts_.push_back(start);
  if (starts_.size() < depth_) return {0};
  const Time room = starts_.front();
  starts_.pop_front();
  return room;
}

}  // namespace tahoma::model
