// SPDX-License-Identifier: Apache-2.0
// What an engine's sequencer runs itself, and when it goes on.
#include <algorithm>

#include "isa/table/table.h"
#include "model/engine/pipeline/engine.h"

namespace tahoma::model {

using base::StallReason, base::Duration, base::Time;
using isa::CostClass;

// A load holds the queue until the value is there; a store goes its way.
Time Engine::run_sequencer(const isa::Instruction& i, Time t) {
  const CostClass cost = isa::row_of(i.op).cost;
  const bool updates = i.update.kind != isa::Update::Kind::kNone;
  const Duration memory =
      i.word.space == isa::Space::kHbm ? params_.sequencer.load_hbm : params_.sequencer.load_sbuf;
  const Time start = laws_.start(t);
  Time end = laws_.behind_step(start);
  if (cost == CostClass::kSemaphore)
    end = updates ? laws_.end_of_update(ready_, start) : laws_.end_of_wait(start);
  if (i.op == isa::Opcode::kRegLoad) end = laws_.behind_step(start + memory);
  const Time complete = i.op == isa::Opcode::kRegStore ? laws_.behind_step(start + memory) : end;
  sequencer_.execute(i, memories());
  const Time next = behind(i, start, end);
  if (activities_.wants_results() && i.op == isa::Opcode::kRegStore) activities_.stored_word(i, start);
  ledger_.account(start, StallReason::kDispatch);
  ledger_.active(start, end);
  ledger_.account(next, StallReason::kDispatch);
  raise(i, end, complete);
  if (updates) {
    own_change_ = i.update.semaphore;
    own_change_visible_ = i.update.on_read ? read_value_ : complete_value_;
  }
  conclude(i, {.start = start, .next = next, .complete = complete});
  return next;
}

// When the sequencer comes to what is behind one of its own instructions, or behind one that it hands over at
// `dispatched`; at once when nothing is.
Time Engine::behind(const isa::Instruction& i, Time start, Time end) const {
  const std::size_t successor = sequencer_.successor(i);
  if (successor == stream().size()) return end;
  if (successor != sequencer_.pc() + 1) return laws_.behind_jump(start);
  if (isa::row_of(i.op).cost != CostClass::kSemaphore) return end;
  return laws_.behind_semaphore(end, executor_of(stream()[successor]));
}

Time Engine::behind_dispatch(Time dispatched, Time start) {
  const Time room = queue_.hand_over(start);
  const std::size_t successor = sequencer_.pc() + 1;
  if (successor == stream().size()) return dispatched;
  return laws_.behind_dispatch(dispatched, room, executor_of(stream()[successor]));
}

}  // namespace tahoma::model
