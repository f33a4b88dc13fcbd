// SPDX-License-Identifier: Apache-2.0
#include "model/engine/sequencer/sequencer_schedule.h"

#include "isa/table/table.h"
#include "model/engine/sequencer/engine_kind.h"
#include "model/engine/sequencer/semaphore_update.h"

namespace tahoma::model {

using base::Duration, base::Time;
using isa::CostClass;

namespace {

std::uint64_t queue_depth(base::EngineKind kind, const SequencerParams& params) {
  const auto queue = kind_row(kind).queue;
  return queue != nullptr ? (params.*queue).depth : 1;
}

}  // namespace

SequencerSchedule::SequencerSchedule(base::EngineKind kind, const CoreParams& params,
                                     const Sequencer& sequencer)
    : params_(params.sequencer),
      sequencer_(sequencer),
      laws_(kind, params),
      queue_(queue_depth(kind, params.sequencer)) {}

// A load holds the queue until the value arrives; a store does not.
SequencerStep SequencerSchedule::step(const isa::Instruction& i, Time ready, Time t) const {
  const Duration memory = i.word.space == isa::Space::kHbm ? params_.load_hbm : params_.load_sbuf;
  const Time start = laws_.start(t);
  Time end = laws_.behind_step(start);
  if (isa::row_of(i.op).cost == CostClass::kSemaphore)
    end = changes_semaphore(i.update) ? laws_.end_of_update(ready, start) : laws_.end_of_wait(start);
  if (i.op == isa::Opcode::kRegLoad) end = laws_.behind_step(start + memory);
  return {start, end, i.op == isa::Opcode::kRegStore ? laws_.behind_step(start + memory) : end};
}

Time SequencerSchedule::behind(const isa::Instruction& i, Time start, Time end) const {
  const std::size_t successor = sequencer_.successor(i);
  if (successor == sequencer_.stream().size()) return end;
  if (successor != sequencer_.pc() + 1) return laws_.behind_jump(start);
  if (isa::row_of(i.op).cost != CostClass::kSemaphore) return end;
  return laws_.behind_semaphore(end, executor_of(sequencer_.stream()[successor]));
}

Time SequencerSchedule::behind_dispatch(Time dispatched, Time start) {
  const Time room = queue_.hand_over(start);
  const std::size_t successor = sequencer_.pc() + 1;
  if (successor == sequencer_.stream().size()) return dispatched;
  return laws_.behind_dispatch(dispatched, room, executor_of(sequencer_.stream()[successor]));
}

}  // namespace tahoma::model
