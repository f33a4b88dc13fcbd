// SPDX-License-Identifier: Apache-2.0
// An engine at a meeting with the other core of its logical core.
#include <algorithm>
#include <utility>

#include "isa/core/program_error.h"
#include "model/engine/pipeline/engine.h"

namespace tahoma::model {

using base::StallReason, base::Time;

void Engine::met(Time together, Time done) {
  rendezvous_->met = true;
  rendezvous_->together = together;
  rendezvous_->done = done;
  sim::notify_at(wake_, std::max(done, sim::now()));
}

// Twice: on arrival, and when both cores have been here.
Time Engine::run_meeting(const isa::Instruction& i, Time t) {
  if (!rendezvous_) arrive(i, t);
  if (!rendezvous_->met || rendezvous_->done > t) return t;
  wake_.cancel();  // of a meeting without cost, which ends as it begins
  const RendezvousTimes r = *std::exchange(rendezvous_, std::nullopt);
  ledger_.account(r.arrived, StallReason::kDrain);
  ledger_.account(r.together, StallReason::kWaitCore);
  ledger_.active(r.together, r.done);
  if (accesses_.enabled()) accesses_.depart(i, r.together);
  ledger_.account(r.done, i.op == isa::Opcode::kSendRecv ? StallReason::kBusy : StallReason::kHandover);
  if (activities_.wants_results()) activities_.result({.start = r.together});
  raise(i, r.done, r.done);
  conclude(i, {.start = r.together, .next = r.done, .complete = r.done});
  return r.done;
}

// What the queue issued before is complete when an engine comes to a meeting.
void Engine::arrive(const isa::Instruction& i, Time t) {
  if (meeting.size() == 0)
    throw isa::ProgramError("E-RUN-045", sequencer_.where(sequencer_.pc()),
                            "needs a logical core of two physical cores; expected machine.chip.lnc = 2");
  ledger_.account(t, StallReason::kDispatch);
  rendezvous_.emplace();
  rendezvous_->arrived = std::max(t, last_complete_);
  if (accesses_.enabled()) accesses_.arrive(i, t);
  meeting->arrive(
      {place_.core, place_.queue, &i, rendezvous_->arrived, this, sequencer_.where(sequencer_.pc())},
      memories());
}

}  // namespace tahoma::model
